// Percentiles out of the buckets of a histogram, between two readings of it.

import type { LatencyHistogram } from '@sauti/protocol/console'

/** Below which `share` of what was measured after `before` lies; undefined where nothing was. As Prometheus does it. */
export function quantileMs(
  now: LatencyHistogram,
  before: LatencyHistogram | undefined,
  share: number,
): number | undefined {
  const counts = now.counts.map((count, at) => count - (before?.counts[at] ?? 0))
  const total = counts.at(-1) ?? 0
  if (total <= 0) return undefined
  const rank = share * total
  const at = counts.findIndex(count => count >= rank)
  const upper = now.upper_ms[at]
  // Beyond the last bucket nothing is known but that it took longer.
  if (upper === undefined) return now.upper_ms.at(-1)
  const [lower, below] = at === 0 ? [0, 0] : [now.upper_ms[at - 1]!, counts[at - 1]!]
  return lower + (upper - lower) * ((rank - below) / (counts[at]! - below))
}
