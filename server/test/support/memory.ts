// How much memory is really held, after what nobody needs has been collected.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collectGarbage: () => void = runInNewContext('gc')

/** JavaScript objects and the buffers outside of them. */
export function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * By how much a row of readings grows from one to the next: the median over all pairs. What leaks shows in every pair; the
 * runtime's own heap swings by megabytes, up and down, and shows in a few.
 */
export function growthOf(readings: readonly number[]): number {
  const slopes = readings.flatMap((from, at) =>
    readings.slice(at + 1).map((to, steps) => (to - from) / (steps + 1)),
  )
  slopes.sort((a, b) => a - b)
  return slopes[Math.floor(slopes.length / 2)]!
}
