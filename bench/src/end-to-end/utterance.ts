// What people say in front of every contender: pieces of the bundled recordings, 3 to 8 s long, drawn at random.

import { speech } from '../engine/clips.ts'

export const FRAME_MS = 100
export const LONGEST_MS = 8000
const SHORTEST_MS = 3000
const FRAME_SAMPLES = 1600
const SIGNAL = speech(600 * 16_000)

export function drawUtterance(random: () => number): Int16Array {
  const frames = Math.round((SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS)) / FRAME_MS)
  const first = Math.floor(random() * (SIGNAL.length - frames * FRAME_SAMPLES))
  return SIGNAL.subarray(first, first + frames * FRAME_SAMPLES)
}

export function* framesOf(utterance: Int16Array): Generator<Int16Array> {
  for (let at = 0; at < utterance.length; at += FRAME_SAMPLES) yield utterance.slice(at, at + FRAME_SAMPLES)
}
