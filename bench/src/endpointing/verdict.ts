// Endpoints compared with the truth: which were right, which wrong, which are missing, and how late the right ones came. Pure.

import type { Speech } from './truth.ts'

/** One end of an utterance. */
export interface End {
  /** Time of the sound at which it was decided. */
  readonly decidedMs: number
  /** When its final was there: the time of the sound, and the processor time that the engine took from then on. */
  readonly finalMs: number
  readonly text: string
}

export interface Verdict {
  /** In the middle of speech. */
  readonly insideWords: number
  /** In a pause that was clearly shorter than the silence asked for. */
  readonly inShortPauses: number
  /** Pauses that were clearly longer, and how many of them ended nothing. */
  readonly longPauses: number
  readonly missed: number
  /** From the end of speech to the final, for every long pause that ended something. */
  readonly delaysMs: readonly number[]
}

/** A pause this much longer than the silence asked for must end the utterance; one this much shorter must not. */
const CLEARLY_MS = 200
/** Speech that began just before an end was not heard yet. */
const ONSET_MS = 60

export function judge(
  speech: readonly Speech[],
  soundMs: number,
  ends: readonly End[],
  silenceMs: number,
): Verdict {
  const pauses = speech.map(({ endMs }, i) => ({
    startMs: endMs,
    endMs: (speech[i + 1]?.startMs ?? soundMs - ONSET_MS) + ONSET_MS,
  }))
  const inPause = pauses.map(({ startMs, endMs }) =>
    ends.filter(({ decidedMs }) => decidedMs > startMs && decidedMs <= endMs),
  )
  const lengthMs = (i: number) => pauses[i]!.endMs - ONSET_MS - pauses[i]!.startMs
  const indices = [...pauses.keys()]
  const long = indices.filter(i => lengthMs(i) >= silenceMs + CLEARLY_MS)
  const short = indices.filter(i => lengthMs(i) <= silenceMs - CLEARLY_MS)
  const isInSpeech = ({ decidedMs }: End) =>
    speech.some(({ startMs, endMs }) => decidedMs > startMs + ONSET_MS && decidedMs <= endMs)
  return {
    insideWords: ends.filter(isInSpeech).length,
    inShortPauses: short.reduce((sum, i) => sum + inPause[i]!.length, 0),
    longPauses: long.length,
    missed: long.filter(i => inPause[i]!.length === 0).length,
    delaysMs: long.flatMap(i => inPause[i]!.slice(0, 1).map(({ finalMs }) => finalMs - pauses[i]!.startMs)),
  }
}

export function sum(verdicts: readonly Verdict[]): Verdict {
  const total = (count: (verdict: Verdict) => number) => verdicts.reduce((all, one) => all + count(one), 0)
  return {
    insideWords: total(one => one.insideWords),
    inShortPauses: total(one => one.inShortPauses),
    longPauses: total(one => one.longPauses),
    missed: total(one => one.missed),
    delaysMs: verdicts.flatMap(one => one.delaysMs),
  }
}
