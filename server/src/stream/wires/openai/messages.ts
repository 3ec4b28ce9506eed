// What OpenAI's realtime interface says about a transcription. Every event has an id of its own.

import type { AudioFormat } from '../../audio/incoming-audio.ts'
import type { TranscriptionSession } from './session.ts'

type Fields = Readonly<Record<string, unknown>>

export interface OpenAiError {
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param: null
  /** Of the client's event that caused it. */
  readonly event_id: string | null
}

/** Writes events. `newId` makes their ids. */
export class EventWriter {
  readonly #newId: () => string

  constructor(newId: () => string) {
    this.#newId = newId
  }

  write(type: string, fields: Fields): string {
    return JSON.stringify({ type, event_id: `event_${this.#newId()}`, ...fields })
  }

  error(error: OpenAiError): string {
    return this.write('error', { error })
  }

  /** About an item, which is an utterance. */
  item(type: string, itemId: string, fields: Fields): string {
    return this.write(type, { item_id: itemId, ...fields })
  }
}

/** The session with the settings that hold, in its present form. */
export function describeSession(id: string, session: TranscriptionSession): Fields {
  return {
    id,
    object: 'realtime.transcription_session',
    type: 'transcription',
    audio: {
      input: {
        format: describeFormat(session.format),
        transcription: describeTranscription(session),
        turn_detection: describeTurnDetection(session),
        noise_reduction: null,
      },
    },
    include: [],
  }
}

/** The same in the earlier form. */
export function describeEarlierSession(id: string, session: TranscriptionSession): Fields {
  const { encoding } = session.format
  return {
    id,
    object: 'realtime.transcription_session',
    input_audio_format: { pcm_s16le: 'pcm16', mulaw: 'g711_ulaw', alaw: 'g711_alaw' }[encoding],
    input_audio_transcription: describeTranscription(session),
    turn_detection: describeTurnDetection(session),
  }
}

function describeFormat({ encoding, sampleRateHz }: AudioFormat): Fields {
  switch (encoding) {
    case 'pcm_s16le':
      return { type: 'audio/pcm', rate: sampleRateHz }
    case 'mulaw':
      return { type: 'audio/pcmu' }
    case 'alaw':
      return { type: 'audio/pcma' }
  }
}

function describeTurnDetection({ silenceMs }: TranscriptionSession): Fields | null {
  return silenceMs === undefined ? null : { type: 'server_vad', silence_duration_ms: silenceMs }
}

function describeTranscription(session: TranscriptionSession): Fields | null {
  const { modelName, language, prompt, keywords } = session
  if (modelName === undefined) return null
  return {
    model: modelName,
    language: language ?? null,
    prompt,
    ...(keywords.length > 0 ? { keywords } : {}),
  }
}
