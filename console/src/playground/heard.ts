// What was heard and measured in one run, as the page shows it.

import type { ContinuousFinal } from '@sauti/client'
import type { LevelHistory } from './level-meter.tsx'
import type { RunListener } from './run.ts'

export interface Heard {
  readonly finals: readonly ContinuousFinal[]
  /** The utterance under way: what held still, and what just changed. */
  readonly steady: string
  readonly changing: string
  readonly sentMs: number
  readonly firstWordsMs: number | undefined
  readonly finishMs: number | undefined
  readonly billedMs: number | undefined
  /** Why nothing comes at the moment, where it passes by itself. */
  readonly waiting: string | undefined
}

export const NOTHING_HEARD: Heard = {
  finals: [],
  steady: '',
  changing: '',
  sentMs: 0,
  firstWordsMs: undefined,
  finishMs: undefined,
  billedMs: undefined,
  waiting: undefined,
}

export function listenInto(
  setHeard: (change: (before: Heard) => Heard) => void,
  levels: LevelHistory,
): RunListener {
  return {
    onDelta: text =>
      setHeard(before => ({
        ...before,
        waiting: undefined,
        ...tellApart(before.steady + before.changing, text),
      })),
    onFinal: final =>
      setHeard(before => ({ ...before, finals: [...before.finals, final], steady: '', changing: '' })),
    onLevel: level => levels.push(level),
    onClock: sentMs => setHeard(before => ({ ...before, sentMs })),
    onFirstWords: firstWordsMs => setHeard(before => ({ ...before, firstWordsMs })),
    onWaiting: waiting => setHeard(before => ({ ...before, waiting })),
  }
}

/** What of the new text was there before, and what is new or different; cut between words. */
export function tellApart(before: string, now: string): { steady: string; changing: string } {
  let same = 0
  while (same < before.length && before[same] === now[same]) same++
  const cut = same === before.length ? same : now.lastIndexOf(' ', same) + 1
  return { steady: now.slice(0, cut), changing: now.slice(cut) }
}
