// Cuts a tape into utterances at pauses: the longer an utterance is, the shorter the pause that ends it may be. A part is held back
// meanwhile, so that the cut falls inside the pause and not after it. Where the cuts fall depends on the audio alone, so that
// an utterance that must be sent again is the same utterance.

import { FRAME_MS, FRAME_SAMPLES, PauseFinder } from './pauses.ts'
import type { Tape } from './tape.ts'

/** From this part of the greatest length on, a pause of this length is good enough. */
const ACCEPTED_PAUSES = [
  { part: 0.15, pauseMs: 600 },
  { part: 0.3, pauseMs: 360 },
  { part: 0.5, pauseMs: 200 },
  { part: 0.7, pauseMs: 120 },
]
/** Where the service ends utterances by itself, only the last one of a session is cut here: in the last part of its room, in such a pause. */
const LAST_ROOM_PART = 0.5
const LAST_PAUSE_MS = 360
/** Where nothing is a pause, the quietest place of this last part is taken. */
const LAST_PART = 0.4
/** Less than this is a click or a cough, not a turn. */
const LEAST_SPEECH_MS = 200
/** Audio leaves in pieces of at least 100 ms: smaller ones are not worth their overhead. */
const PIECE_SAMPLES = 5 * FRAME_SAMPLES

export interface UtteranceLimits {
  readonly maxSamples: number
  /** What the session still takes, where that is less. */
  readonly roomSamples?: number
  /** Ends the utterance when speech is followed by this much silence, for conversations with turns. */
  readonly silenceMs?: number | undefined
  /** The service ends utterances by itself: all that fits into the session is given to it. */
  readonly isEndedElsewhere?: boolean
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
  const { maxSamples, roomSamples = maxSamples, silenceMs, isEndedElsewhere = false } = limits
  const last = start + roomSamples
  const farthest = isEndedElsewhere ? last : Math.min(start + maxSamples, last)
  let [sent, seen] = [start, start]
  for (;;) {
    const limit = Math.min(seen + FRAME_SAMPLES, farthest)
    const filled = await tape.fill(limit, start)
    const mark = tape.markAfter(start)
    const known = Math.min(filled, limit, mark ?? limit)
    finder.push(tape.slice(seen, known))
    const isLast = known < limit && known !== mark
    const cut =
      isLast || known === mark
        ? known
        : findCut(finder, {
            start,
            sent,
            seen: known,
            maxSamples,
            farthest,
            silenceMs,
            isEndedElsewhere,
          })
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
  readonly farthest: number
  readonly silenceMs: number | undefined
  readonly isEndedElsewhere: boolean
}

function acceptedPauseMs(finder: PauseFinder, progress: Progress): number | undefined {
  const { start, seen, maxSamples, farthest, silenceMs } = progress
  if (progress.isEndedElsewhere)
    return farthest - seen < maxSamples * LAST_ROOM_PART ? LAST_PAUSE_MS : undefined
  const part = (seen - start) / maxSamples
  const pauseMs = ACCEPTED_PAUSES.findLast(rule => part >= rule.part)?.pauseMs
  if (silenceMs === undefined || finder.loudMs < LEAST_SPEECH_MS) return pauseMs
  return Math.min(silenceMs, pauseMs ?? silenceMs)
}

function findCut(finder: PauseFinder, progress: Progress): number | undefined {
  const { start, sent, seen, maxSamples, farthest } = progress
  const enoughMs = acceptedPauseMs(finder, progress)
  if (enoughMs !== undefined && finder.pauseMs >= enoughMs) {
    const middle = seen - Math.floor(finder.pauseMs / 2 / FRAME_MS) * FRAME_SAMPLES
    return Math.max(sent, middle)
  }
  if (seen < farthest) return undefined
  const from = Math.max(sent, farthest - Math.min(maxSamples, farthest - start) * LAST_PART)
  const quietest = start + finder.quietestFrame(Math.ceil((from - start) / FRAME_SAMPLES)) * FRAME_SAMPLES
  return Math.min(quietest, seen)
}
