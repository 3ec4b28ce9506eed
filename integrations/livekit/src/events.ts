// Turns Sauti's events and errors into LiveKit's.

import { APIConnectionError, APIError, APIStatusError, asLanguageCode, stt, voice } from '@livekit/agents'
import {
  type ContinuousDelta,
  type ContinuousFinal,
  isPassing,
  SautiApiError,
  SautiError,
} from '@sauti/client'
import { findModel } from '@sauti/protocol/models'

function languageOf(model: string) {
  return asLanguageCode(findModel(model)?.languageCode ?? 'und')
}

export function toInterim(delta: ContinuousDelta, model: string, offset = 0): stt.SpeechEvent {
  const times = { startTime: delta.start_ms / 1000 + offset, endTime: delta.audio_ms / 1000 + offset }
  const data = { language: languageOf(model), text: delta.text, ...times, confidence: 0 }
  return { type: stt.SpeechEventType.INTERIM_TRANSCRIPT, alternatives: [data] }
}

export function toFinal(final: ContinuousFinal, model: string, offset = 0): stt.SpeechEvent {
  const { text, words } = final
  const at = (ms: number) => ms / 1000 + offset
  const confidence = words.reduce((sum, word) => sum + word.confidence, 0) / Math.max(1, words.length)
  const data: stt.SpeechData = {
    language: languageOf(model),
    text,
    startTime: at(words[0]?.start_ms ?? final.start_ms),
    endTime: at(words.at(-1)?.end_ms ?? final.end_ms),
    confidence,
    words: words.map(word =>
      voice.createTimedString({
        text: word.text,
        startTime: at(word.start_ms),
        endTime: at(word.end_ms),
        confidence: word.confidence,
        startTimeOffset: offset,
      }),
    ),
  }
  return { type: stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives: [data] }
}

/** Temporary problems may be tried again; a wrong key, no credit or a wrong model may not. */
export function toLiveKitError(error: unknown): Error {
  if (!(error instanceof SautiError)) return error instanceof Error ? error : new Error(String(error))
  const options = { retryable: isPassing(error), body: { code: error.code } }
  if (error instanceof SautiApiError) {
    const { message, status: statusCode, requestId } = error
    return new APIStatusError({ message, options: { ...options, statusCode, requestId } })
  }
  if (options.retryable) return new APIConnectionError({ message: error.message, options })
  return new APIError(error.message, options)
}
