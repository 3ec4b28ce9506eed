// Cuts a tape into utterances of at most the length that a session still has, at pauses: the longer an utterance has grown,
// the shorter a pause will do. A part is held back meanwhile, so that the cut falls inside the pause and not behind it.

import { FRAME_MS, FRAME_SAMPLES, PauseFinder } from './pauses.ts'
import type { Tape } from './tape.ts'

/** From this part of the greatest length on, a pause of this length is good enough. */
const ACCEPTED_PAUSES = [
  { part: 0.15, pauseMs: 600 },
  { part: 0.3, pauseMs: 360 },
  { part: 0.5, pauseMs: 200 },
  { part: 0.7, pauseMs: 120 },
]
/** Where nothing is a pause, the quietest place of this last part is taken. */
const LAST_PART = 0.4
/** Audio leaves in pieces of at least 100 ms: smaller ones cost more than they bring. */
const PIECE_SAMPLES = 5 * FRAME_SAMPLES

export interface UtteranceLimits {
  readonly maxSamples: number
  /** How much may be held back: much for a file, little for what is being spoken now. */
  readonly holdBackSamples: number
}

/** Gives the audio of one utterance as soon as it may leave, and at last the position at which the next one begins. */
export async function* readUtterance(
  tape: Tape,
  start: number,
  limits: UtteranceLimits,
): AsyncGenerator<Int16Array<ArrayBuffer>, { readonly end: number; readonly isLast: boolean }> {
  const finder = new PauseFinder()
  let [sent, seen] = [start, start]
  for (;;) {
    const limit = Math.min(seen + FRAME_SAMPLES, start + limits.maxSamples)
    const known = Math.min(await tape.fill(limit), limit)
    finder.push(tape.slice(seen, known))
    const isLast = known < limit
    const cut = isLast ? known : findCut(finder, { start, sent, seen: known, maxSamples: limits.maxSamples })
    const sendable = cut ?? known - limits.holdBackSamples
    if (sendable - sent >= (cut === undefined ? PIECE_SAMPLES : 1)) {
      yield tape.slice(sent, sendable)
      sent = sendable
    }
    if (cut !== undefined) return { end: cut, isLast }
    seen = known
  }
}

interface Progress {
  readonly start: number
  readonly sent: number
  readonly seen: number
  readonly maxSamples: number
}

function findCut(finder: PauseFinder, { start, sent, seen, maxSamples }: Progress): number | undefined {
  const part = (seen - start) / maxSamples
  const enoughMs = ACCEPTED_PAUSES.findLast(rule => part >= rule.part)?.pauseMs
  if (enoughMs !== undefined && finder.pauseMs >= enoughMs) {
    const middle = seen - Math.floor(finder.pauseMs / 2 / FRAME_MS) * FRAME_SAMPLES
    return Math.max(sent, middle)
  }
  if (seen < start + maxSamples) return undefined
  const from = Math.max(sent, start + maxSamples * (1 - LAST_PART))
  const quietest = start + finder.quietestFrame(Math.ceil((from - start) / FRAME_SAMPLES)) * FRAME_SAMPLES
  return Math.min(quietest, seen)
}
