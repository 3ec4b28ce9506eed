// Where somebody speaks in a clean recording, by its level, before noise is added: what the endpoints are compared with. Pure.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { quantileOf } from '../measure/numbers.ts'
import { levelsDb, type Sound } from './sound.ts'

/** Milliseconds from the beginning of the sound. */
export interface Speech {
  readonly startMs: number
  readonly endMs: number
}

/** Speech is at most this far below the loud parts of a recording, and this far above its quiet ones. */
const BELOW_LOUD_DB = 26
const ABOVE_QUIET_DB = 12
/** A shorter gap is not a pause: consonants are silent for that long. */
export const SHORTEST_PAUSE_MS = 300
/** A shorter sound is a click. */
const SHORTEST_SPEECH_MS = 120
const HOP_MS = 10
/** In a recording with more noise of its own, the level does not tell speech from pauses. */
const CLEAN_DB = 30

/** Whether the level of the recording tells where somebody speaks in it. */
export function isClean(sound: Sound): boolean {
  const levels = levelsDb(sound)
  return quantileOf(levels, 0.95) - quantileOf(levels, 0.05) >= CLEAN_DB
}

export function findSpeech(sound: Sound): Speech[] {
  const levels = levelsDb(sound)
  const floor = Math.max(quantileOf(levels, 0.95) - BELOW_LOUD_DB, quantileOf(levels, 0.05) + ABOVE_QUIET_DB)
  const spans: Speech[] = []
  for (const [hop, level] of levels.entries()) {
    if (level <= floor) continue
    const last = spans.at(-1)
    const [startMs, endMs] = [hop * HOP_MS, (hop + 1) * HOP_MS]
    if (last !== undefined && startMs <= last.endMs) spans[spans.length - 1] = { ...last, endMs }
    else spans.push({ startMs, endMs })
  }
  return joinNear(spans.filter(({ startMs, endMs }) => endMs - startMs >= SHORTEST_SPEECH_MS))
}

/** Speech without a pause in between is one. */
export function joinNear(spans: readonly Speech[]): Speech[] {
  const joined: Speech[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last !== undefined && span.startMs - last.endMs < SHORTEST_PAUSE_MS)
      joined[joined.length - 1] = { ...last, endMs: span.endMs }
    else joined.push(span)
  }
  return joined
}

/** The recording from its first speech to its last. */
export function trimmed(sound: Sound): { readonly sound: Sound; readonly speech: readonly Speech[] } {
  const speech = findSpeech(sound)
  const startMs = speech[0]?.startMs ?? 0
  const endMs = speech.at(-1)?.endMs ?? 0
  return {
    sound: sound.slice(startMs * SAMPLES_PER_MS, endMs * SAMPLES_PER_MS),
    speech: speech.map(span => ({ startMs: span.startMs - startMs, endMs: span.endMs - startMs })),
  }
}
