// A transcript in the form that was asked for.

import type { Word } from '@sauti/client'
import { formatSrt, formatVtt } from '@sauti/client/speech'
import type { Transcript } from './transcript.ts'

export const FORMATS = {
  text: { extension: 'txt', write: formatText },
  json: { extension: 'json', write: (transcript: Transcript) => `${JSON.stringify(toJson(transcript))}\n` },
  srt: { extension: 'srt', write: (transcript: Transcript) => formatSrt(wordsOf(transcript)) },
  vtt: { extension: 'vtt', write: (transcript: Transcript) => formatVtt(wordsOf(transcript)) },
} as const
export type Format = keyof typeof FORMATS

export function isFormat(text: string): text is Format {
  return Object.hasOwn(FORMATS, text)
}

function wordsOf({ utterances }: Transcript): Word[] {
  return utterances.flatMap(({ words }) => words)
}

/** One line per utterance; where nothing was said, no line. */
function formatText({ utterances }: Transcript): string {
  return utterances.map(({ text }) => (text === '' ? '' : `${text}\n`)).join('')
}

export function toJson({ name, model, durationMs, billedMs, utterances }: Transcript): object {
  const spoken = utterances.filter(({ text }) => text !== '')
  return {
    file: name,
    model,
    duration_ms: durationMs,
    billed_ms: billedMs,
    text: spoken.map(({ text }) => text).join(' '),
    utterances: spoken.map(({ startMs, endMs, text, words }) => ({
      start_ms: startMs,
      end_ms: endMs,
      text,
      words,
    })),
  }
}
