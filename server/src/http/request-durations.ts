// How long requests took, counted in plain arrays and put together when Prometheus asks. The library's own histogram builds the name
// of its labels for every observation, which is a thirtieth of what the quickest request costs (`npm run bench -- http`).

import type { Histogram, Registry } from 'prom-client'

const NAME = 'sauti_http_request_duration_seconds'
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export interface RequestLabels {
  readonly method: string
  readonly route: string
  readonly status: number
}

/** Of the requests with the same labels. */
export class Durations {
  readonly labels: RequestLabels
  /** By bucket; the last is of all that took longer than any of them. */
  readonly counts: number[] = Array(BUCKETS.length + 1).fill(0)
  sum = 0

  constructor(labels: RequestLabels) {
    this.labels = labels
  }

  observe(seconds: number): void {
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++
    this.counts[bucket]! += 1
    this.sum += seconds
  }
}

export interface RequestDurations {
  /** Always the same for the same labels. */
  of(labels: RequestLabels): Durations
}

export function createRequestDurations(registry: Registry): RequestDurations {
  const all = new Map<string, Durations>()
  const metric = {
    name: NAME,
    get: async () => ({
      name: NAME,
      help: 'Time from the arrival of a request to the end of its answer.',
      type: 'histogram',
      aggregator: 'sum',
      values: [...all.values()].flatMap(describe),
    }),
  }
  // All that a registry needs of a metric are its name and its values; the types want one of the library's own classes.
  registry.registerMetric(metric as unknown as Histogram)
  return {
    of({ method, route, status }) {
      const name = `${method} ${status} ${route}`
      const durations = all.get(name) ?? new Durations({ method, route, status })
      all.set(name, durations)
      return durations
    },
  }
}

/** The lines of a histogram: each bucket counts those of the smaller ones as well. */
function describe({ labels, counts, sum }: Durations) {
  let count = 0
  const buckets = [...BUCKETS, '+Inf'].map((le, bucket) => {
    count += counts[bucket]!
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ]
}
