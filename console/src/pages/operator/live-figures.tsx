// The last minutes of a node as small charts: streams, latency, engines. Drawn from what this page has read since it was opened.

import type { Health, LatencyHistogram } from '@sauti/protocol/console'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { quantileMs } from '../../ui/quantile.ts'
import { Sparkline } from '../../ui/sparkline.tsx'

const KEPT_READINGS = 120
/** A percentile of less than a minute would jump with every single stream. */
const WINDOW_READINGS = 12

const LATENCIES = [
  { name: 'first_words', label: 'First words' },
  { name: 'final_text', label: 'Final text after a flush' },
  { name: 'engine_step', label: 'Engine time per chunk' },
] as const

export function LiveFigures({ health }: { health: Health }): JSX.Element {
  const [history, setHistory] = useState<readonly Health[]>([health])
  useEffect(() => {
    setHistory(before => (before.at(-1) === health ? before : [...before, health].slice(-KEPT_READINGS)))
  }, [health])
  const { engine } = health
  return (
    <section class="card" aria-labelledby="figures-title">
      <h2 id="figures-title">Live figures of this node</h2>
      <p class="small muted">
        Every 5 seconds since you opened this page. Lines: p50 and p99 of the last minute, or since the
        service started.
      </p>
      <div class="sparklines">
        <Sparkline
          label="Open streams"
          lines={[history.map(one => one.engine.open_streams)]}
          max={engine.capacity}
          value={`${engine.open_streams} of ${engine.capacity}`}
        />
        {LATENCIES.map(({ name, label }) => (
          <LatencyLine key={name} label={label} readings={history.map(one => one.latency[name])} />
        ))}
        <Sparkline
          label="Capacity in streams"
          lines={[history.map(one => one.engine.capacity)]}
          value={describeEngines(engine)}
        />
        <Sparkline
          label="Database response time"
          lines={[history.map(one => one.database.answer_ms)]}
          value={`${health.database.answer_ms} ms`}
        />
      </div>
    </section>
  )
}

function describeEngines({ capacity, engines_lost: lost }: Health['engine']): string {
  return lost === 0 ? String(capacity) : `${capacity}, ${lost} ${lost === 1 ? 'engine' : 'engines'} replaced`
}

function LatencyLine({
  label,
  readings,
}: {
  label: string
  readings: readonly LatencyHistogram[]
}): JSX.Element {
  const [p50, p99] = [0.5, 0.99].map(share => trace(readings, share)) as [number[], number[]]
  const last = p50.at(-1)
  const value = last === undefined ? 'No streams yet' : `${Math.round(last)} / ${Math.round(p99.at(-1)!)} ms`
  return <Sparkline label={label} lines={[p50, p99]} value={value} />
}

/** One value per reading; a minute without streams keeps the value before it. */
function trace(readings: readonly LatencyHistogram[], share: number): number[] {
  const values: number[] = []
  for (const [at, reading] of readings.entries()) {
    const before = at === 0 ? undefined : readings[Math.max(0, at - WINDOW_READINGS)]
    const value = quantileMs(reading, before, share) ?? values.at(-1)
    if (value !== undefined) values.push(value)
  }
  return values
}
