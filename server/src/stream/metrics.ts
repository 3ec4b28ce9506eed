// Measurements of streams, for Prometheus. Numbers only: no text, no account, no address.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { StreamEnding } from '../sessions/lifecycle.ts'

export interface StreamMetrics {
  countEnding(ending: StreamEnding): void
  countRefusal(code: string): void
  countAudio(samples: number): void
  observeFirstDelta(ms: number): void
  observeFlushToFinal(ms: number): void
}

/** Read when Prometheus asks, so that nothing has to be kept up to date in between. */
export interface StreamGauges {
  readonly openConnections: number
  readonly queuedSamples: number
  readonly pendingSettlements: number
}

const LATENCY_SECONDS = [0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10]

export function createStreamMetrics(registry: Registry, gauges: () => StreamGauges): StreamMetrics {
  const registers = [registry]
  const endings = new Counter({
    name: 'sauti_stream_sessions_ended_total',
    help: 'Sessions that ended, by how they ended.',
    labelNames: ['ending'],
    registers,
  })
  const refusals = new Counter({
    name: 'sauti_stream_refusals_total',
    help: 'Connections that opened no session, by the code they were told.',
    labelNames: ['code'],
    registers,
  })
  // Counted many thousand times per second, so only summed up here; Prometheus gets the sum when it asks.
  let uncountedSamples = 0
  new Counter({
    name: 'sauti_stream_audio_seconds_total',
    help: 'Accepted audio in seconds.',
    registers,
    collect() {
      this.inc(uncountedSamples / SAMPLE_RATE_HZ)
      uncountedSamples = 0
    },
  })
  const firstDelta = new Histogram({
    name: 'sauti_stream_first_delta_seconds',
    help: 'From the first accepted audio of a session to its first delta.',
    buckets: LATENCY_SECONDS,
    registers,
  })
  const flushToFinal = new Histogram({
    name: 'sauti_stream_flush_to_final_seconds',
    help: 'From a flush to its final.',
    buckets: LATENCY_SECONDS,
    registers,
  })
  addGauges(registers, gauges)
  return {
    countEnding: ending => endings.inc({ ending }),
    countRefusal: code => refusals.inc({ code }),
    countAudio: samples => {
      uncountedSamples += samples
    },
    observeFirstDelta: ms => firstDelta.observe(ms / 1000),
    observeFlushToFinal: ms => flushToFinal.observe(ms / 1000),
  }
}

function addGauges(registers: Registry[], read: () => StreamGauges): void {
  new Gauge({
    name: 'sauti_stream_open_connections',
    help: 'Streams that are open now.',
    registers,
    collect() {
      this.set(read().openConnections)
    },
  })
  new Gauge({
    name: 'sauti_stream_queued_audio_seconds',
    help: 'Audio that was accepted and not yet taken by the recogniser, over all streams.',
    registers,
    collect() {
      this.set(read().queuedSamples / SAMPLE_RATE_HZ)
    },
  })
  new Gauge({
    name: 'sauti_stream_pending_settlements',
    help: 'Sessions that ended and whose settlement the database has not taken yet.',
    registers,
    collect() {
      this.set(read().pendingSettlements)
    },
  })
}
