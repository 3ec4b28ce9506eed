// A histogram of the Prometheus figures as numbers, for the operators' page.

import type { LatencyHistogram } from '@sauti/protocol/console'
import type { Registry } from 'prom-client'

/** Cumulative since the service started; the last count is of everything, however long it took. */
export async function readHistogram(metrics: Registry, name: string): Promise<LatencyHistogram> {
  const metric = await metrics.getSingleMetric(name)?.get()
  const buckets = (metric?.values ?? []).filter(({ labels }) => labels.le !== undefined)
  const bounded = buckets.filter(({ labels }) => labels.le !== '+Inf')
  return {
    upper_ms: bounded.map(({ labels }) => Math.round(Number(labels.le) * 1000)),
    counts: [...bounded, ...buckets.filter(({ labels }) => labels.le === '+Inf')].map(({ value }) => value),
  }
}

export async function readCounter(metrics: Registry, name: string): Promise<number> {
  const metric = await metrics.getSingleMetric(name)?.get()
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0)
}
