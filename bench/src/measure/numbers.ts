// A little arithmetic that every measurement needs. Pure.

export type Point = readonly [x: number, y: number]

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** NaN where there are no values. */
export function quantileOf(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** Least squares. */
export function lineThrough(points: readonly Point[]): {
  readonly slope: number
  readonly intercept: number
} {
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)))
  const slope = covariance / mean(points.map(([x]) => (x - meanX) ** 2))
  return { slope, intercept: meanY - slope * meanX }
}

/**
 * The b of y = a x^b that fits best: 0 where the cost stays, 1 where it grows as its cause does. A cost too small to be measured says nothing
 * about it; with fewer than two others there is none.
 */
export function exponentOf(points: readonly Point[]): number | undefined {
  const measured = points.filter(([x, y]) => x > 0 && y > 0)
  if (measured.length < 2) return undefined
  return lineThrough(measured.map(([x, y]) => [Math.log(x), Math.log(y)] as const)).slope
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
