// Words with times into subtitles that a person can read: lines short enough for a screen, breaks at pauses.

import type { Word } from '@sauti/protocol/stream'

interface Cue {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
}

/** Two lines of 42 characters is what viewers can read comfortably; a cue should not stay for more than 6 seconds. */
const LINE_CHARACTERS = 42
const CUE_CHARACTERS = 2 * LINE_CHARACTERS
const CUE_MS = 6_000
const PAUSE_MS = 800
/** A shorter cue cannot be read. */
const LEAST_CUE_MS = 1_000

export function formatSrt(words: readonly Word[]): string {
  const cues = makeCues(words).map(
    (cue, index) =>
      `${index + 1}\n${clock(cue.startMs, ',')} --> ${clock(cue.endMs, ',')}\n${breakLine(cue.text)}\n`,
  )
  return cues.join('\n')
}

export function formatVtt(words: readonly Word[]): string {
  const cues = makeCues(words).map(
    cue => `${clock(cue.startMs, '.')} --> ${clock(cue.endMs, '.')}\n${breakLine(escapeVtt(cue.text))}\n`,
  )
  return ['WEBVTT\n', ...cues].join('\n')
}

function makeCues(all: readonly Word[]): Cue[] {
  const cues: Cue[] = []
  let words: Word[] = []
  const close = () => {
    if (words.length > 0) cues.push(toCue(words))
    words = []
  }
  for (const word of all) {
    if (words.length > 0 && !fits(words, word)) close()
    words.push(word)
  }
  close()
  return cues.map((cue, index) => stretch(cue, cues[index + 1]))
}

function fits(words: readonly Word[], next: Word): boolean {
  const characters = [...words, next].map(word => word.text).join(' ').length
  const isPause = next.start_ms - words.at(-1)!.end_ms > PAUSE_MS
  return !isPause && characters <= CUE_CHARACTERS && next.end_ms - words[0]!.start_ms <= CUE_MS
}

function toCue(words: readonly Word[]): Cue {
  const text = words.map(word => word.text).join(' ')
  return { startMs: words[0]!.start_ms, endMs: words.at(-1)!.end_ms, text }
}

/** Long enough to be read, but never into the next cue, and never of no length: players drop such cues. */
function stretch(cue: Cue, next: Cue | undefined): Cue {
  const wanted = Math.max(cue.endMs, cue.startMs + LEAST_CUE_MS)
  const room = next ? next.startMs : wanted
  return { ...cue, endMs: Math.max(cue.startMs + 1, Math.min(wanted, room)) }
}

/** Two lines of about equal length. */
function breakLine(text: string): string {
  if (text.length <= LINE_CHARACTERS) return text
  const spaces = [...text.matchAll(/ /g)].map(match => match.index)
  const middle = text.length / 2
  const space = spaces.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0]
  return space === undefined ? text : `${text.slice(0, space)}\n${text.slice(space + 1)}`
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function clock(ms: number, separator: ',' | '.'): string {
  const rounded = Math.round(ms)
  const [hours, minutes, seconds] = [rounded / 3_600_000, (rounded / 60_000) % 60, (rounded / 1_000) % 60]
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(hours)}:${two(minutes)}:${two(seconds)}${separator}${String(rounded % 1_000).padStart(3, '0')}`
}
