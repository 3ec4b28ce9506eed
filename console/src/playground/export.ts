// A transcript as a file: plain text, subtitles or JSON.

import type { ContinuousFinal, Word } from '@sauti/client'

export const FORMATS = ['txt', 'srt', 'vtt', 'json'] as const
export type Format = (typeof FORMATS)[number]

const MAX_CUE_MS = 6000
const MAX_CUE_LETTERS = 80

export function exportTranscript(finals: readonly ContinuousFinal[], format: Format): Blob {
  const text = WRITERS[format](finals)
  return new Blob([text], { type: format === 'json' ? 'application/json' : 'text/plain;charset=utf-8' })
}

const WRITERS: Record<Format, (finals: readonly ContinuousFinal[]) => string> = {
  txt: finals => `${textOf(finals)}\n`,
  srt: finals =>
    cuesOf(finals)
      .map((cue, at) => `${at + 1}\n${time(cue.startMs, ',')} --> ${time(cue.endMs, ',')}\n${cue.text}\n`)
      .join('\n'),
  vtt: finals =>
    `WEBVTT\n\n${cuesOf(finals)
      .map(cue => `${time(cue.startMs, '.')} --> ${time(cue.endMs, '.')}\n${cue.text}\n`)
      .join('\n')}`,
  json: finals =>
    `${JSON.stringify({ text: textOf(finals), words: finals.flatMap(final => final.words) }, null, 2)}\n`,
}

export function textOf(finals: readonly ContinuousFinal[]): string {
  return finals
    .map(final => final.text)
    .filter(Boolean)
    .join('\n')
}

interface Cue {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
}

/** Lines short enough to read: none crosses the end of an utterance. */
function cuesOf(finals: readonly ContinuousFinal[]): Cue[] {
  return finals.flatMap(final => splitWords(final.words).map(cueOf))
}

function splitWords(words: readonly Word[]): Word[][] {
  const groups: Word[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    if (group !== undefined && fits(group, word)) group.push(word)
    else groups.push([word])
  }
  return groups
}

function fits(group: readonly Word[], word: Word): boolean {
  const letters = group.reduce((sum, one) => sum + one.text.length + 1, word.text.length)
  return letters <= MAX_CUE_LETTERS && word.end_ms - (group[0]?.start_ms ?? 0) <= MAX_CUE_MS
}

function cueOf(words: readonly Word[]): Cue {
  return {
    startMs: words[0]?.start_ms ?? 0,
    endMs: words.at(-1)?.end_ms ?? 0,
    text: words.map(word => word.text).join(' '),
  }
}

/** 00:01:02,345 */
function time(ms: number, mark: ',' | '.'): string {
  const iso = new Date(Math.round(ms)).toISOString()
  return iso.slice(11, 23).replace('.', mark)
}
