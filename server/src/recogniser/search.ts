// What every way of searching has in common: it takes prepared frames and gives the pieces that are certain by now.

export interface Emission {
  readonly piece: number
  /** Encoder frame of the utterance at which it was said. */
  readonly frame: number
  /** Natural logarithm of its probability. */
  readonly logProbability: number
}

export interface Search {
  /** Searches the next frames of the utterance, as the transducer prepares them. What it gives is never taken back. */
  advance(prepared: Float32Array, frames: number): readonly Emission[]
  /** The utterance is over: what was not certain yet. */
  finish(): readonly Emission[]
}

/** Scores so far below the largest add less than 1e-5 to the sum, all together; most are, and an exponential is dear. */
const NEGLIGIBLE = -18

/** Logarithm of the sum of exponentials of `count` scores from `start`. */
export function logSumExp(scores: Float32Array, start: number, count: number): number {
  let largest = Number.NEGATIVE_INFINITY
  for (let i = start; i < start + count; i++) if (scores[i]! > largest) largest = scores[i]!
  let sum = 0
  for (let i = start; i < start + count; i++) {
    const below = scores[i]! - largest
    if (below > NEGLIGIBLE) sum += Math.exp(below)
  }
  return largest + Math.log(sum)
}
