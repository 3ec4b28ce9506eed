// How far a figure may be from what endless measuring would give: intervals of 95 %. Pure.

import { quantileOf } from '../measure/numbers.ts'

export interface Interval {
  readonly low: number
  readonly high: number
}

/** Standard deviations on either side. */
const REACH = 1.96

/** Of a part that was counted, by Wilson: also right where nothing was counted. */
export function partInterval(count: number, of: number): Interval {
  if (of === 0) return { low: 0, high: 1 }
  const part = count / of
  const middle = part + REACH ** 2 / (2 * of)
  const reach = REACH * Math.sqrt((part * (1 - part)) / of + (REACH / (2 * of)) ** 2)
  const scale = 1 + REACH ** 2 / of
  return { low: Math.max(0, (middle - reach) / scale), high: Math.min(1, (middle + reach) / scale) }
}

/** Of a quantile, from the values whose ranks are as far from its own as chance takes them. */
export function quantileInterval(values: readonly number[], part: number): Interval {
  const reach = REACH * Math.sqrt((part * (1 - part)) / Math.max(1, values.length))
  return {
    low: quantileOf(values, Math.max(0, part - reach)),
    high: quantileOf(values, Math.min(1, part + reach)),
  }
}

export function writePart(count: number, of: number): string {
  const { low, high } = partInterval(count, of)
  return `${count} of ${of} (${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %)`
}

export function writeQuantile(values: readonly number[], part: number): string {
  const { low, high } = quantileInterval(values, part)
  return `${quantileOf(values, part).toFixed()} (${low.toFixed()} to ${high.toFixed()})`
}
