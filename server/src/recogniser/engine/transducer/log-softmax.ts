/** Scores this far below the largest add less than 1e-5 to the sum, all together. Most are, and computing exponentials is expensive. */
const NEGLIGIBLE = -18

/** Turns `count` scores from `start` on into natural logarithms of probabilities, in place. */
export function logSoftmax(scores: Float32Array, start: number, count: number): void {
  const end = start + count
  let largest = Number.NEGATIVE_INFINITY
  for (let i = start; i < end; i++) if (scores[i]! > largest) largest = scores[i]!
  let sum = 0
  for (let i = start; i < end; i++) {
    const below = scores[i]! - largest
    if (below > NEGLIGIBLE) sum += Math.exp(below)
  }
  const logSum = largest + Math.log(sum)
  for (let i = start; i < end; i++) scores[i]! -= logSum
}
