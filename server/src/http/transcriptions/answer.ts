// A transcript in the form that was asked for, as OpenAI's interface describes it.

import { formatSrt, formatVtt } from '@sauti/client/speech'
import { billableMs, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import type { Transcription, VerboseTranscription } from '@sauti/protocol/http'
import { findModel, type ModelId } from '@sauti/protocol/models'
import type { FileTranscript } from '../../files/jobs.ts'
import type { AnswerOptions, ResponseFormat } from './options.ts'

export type TranscriptAnswer = string | Transcription | VerboseTranscription

const TEXT = 'text/plain; charset=utf-8'

export function contentTypeOf(format: ResponseFormat): string {
  if (isJson(format)) return 'application/json'
  return format === 'vtt' ? 'text/vtt; charset=utf-8' : TEXT
}

/** In JSON, white space before the value means nothing. */
export function isJson(format: ResponseFormat): boolean {
  return format === 'json' || format === 'verbose_json'
}

export function writeAnswer(answer: TranscriptAnswer): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}

export function formatAnswer(
  transcript: FileTranscript,
  model: ModelId,
  options: AnswerOptions,
): TranscriptAnswer {
  const words = transcript.utterances.flatMap(utterance => utterance.words)
  switch (options.format) {
    case 'json':
      return { text: textOf(transcript), usage: usageOf(transcript) }
    case 'verbose_json':
      return describeVerbosely(transcript, model, options)
    case 'text':
      return `${textOf(transcript)}\n`
    case 'srt':
      return formatSrt(words)
    case 'vtt':
      return formatVtt(words)
  }
}

function describeVerbosely(
  transcript: FileTranscript,
  model: ModelId,
  { granularities }: AnswerOptions,
): VerboseTranscription {
  const words = transcript.utterances.flatMap(utterance => utterance.words)
  return {
    task: 'transcribe',
    language: findModel(model)!.language.toLowerCase(),
    duration: toSeconds(transcript.durationMs),
    text: textOf(transcript),
    ...(granularities.includes('word')
      ? {
          words: words.map(({ text, start_ms, end_ms }) => ({
            word: text,
            start: toSeconds(start_ms),
            end: toSeconds(end_ms),
          })),
        }
      : {}),
    ...(granularities.includes('segment') ? { segments: describeSegments(transcript) } : {}),
    usage: usageOf(transcript),
  }
}

/** Fields for values that only other models have are there, with what is true here. */
function describeSegments({ utterances }: FileTranscript): NonNullable<VerboseTranscription['segments']> {
  const spoken = utterances.filter(({ text }) => text !== '')
  return spoken.map(({ text, words, startMs, endMs }, id) => ({
    id,
    seek: Math.round(startMs / 10),
    start: toSeconds(words[0]?.start_ms ?? startMs),
    end: toSeconds(words.at(-1)?.end_ms ?? endMs),
    text,
    tokens: [],
    temperature: 0,
    avg_logprob: meanLog(words.map(word => word.confidence)),
    compression_ratio: 1,
    no_speech_prob: 0,
  }))
}

function textOf({ utterances }: FileTranscript): string {
  return utterances.flatMap(({ text }) => (text === '' ? [] : [text])).join(' ')
}

/** Billed in whole seconds, rounded up. */
function usageOf({ durationMs }: FileTranscript): Transcription['usage'] {
  return { type: 'duration', seconds: billableMs(durationMs * SAMPLES_PER_MS) / 1000 }
}

function toSeconds(ms: number): number {
  return ms / 1000
}

function meanLog(confidences: readonly number[]): number {
  const logs = confidences.map(confidence => Math.log(Math.max(confidence, 1e-6)))
  return logs.length === 0 ? 0 : logs.reduce((sum, log) => sum + log, 0) / logs.length
}
