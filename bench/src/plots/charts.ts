// Which charts there are, each from the results as they are.

import { exponentOf, type Point } from '../measure/numbers.ts'
import type { Architecture, ArchitectureResults, ResultFigures, Results } from '../results/shapes.ts'
import type { Chart, Series } from './chart.ts'

/** The promise: a final comes at most this late. */
export const FINAL_LIMIT_MS = 350

export interface NamedChart extends Chart {
  /** Of its file. */
  readonly name: string
}

/** Architectures share a chart where their lines are few, and have one each where they are many. */
export function chartsOf(all: readonly ArchitectureResults[]): NamedChart[] {
  const endToEnd = figuresOf(all, ({ 'end-to-end': one }) => one?.figures)
  const idle = figuresOf(all, ({ growth }) => growth?.figures.idle).filter(([, rows]) => rows.length > 1)
  const ledger = figuresOf(all, ({ growth }) => growth?.figures.ledger).filter(([, rows]) => rows.length > 1)
  const watched = figuresOf(all, ({ soak, load }) => (soak ?? load)?.figures).filter(([, { use }]) => use)
  return [
    ...(endToEnd.length > 0 ? streamCharts(endToEnd) : []),
    ...(idle.length > 0 ? [idleChart(idle)] : []),
    ...ledger.map(ledgerChart),
    ...watched.map(memoryChart),
  ]
}

type Of<Figures> = readonly [architecture: Architecture, figures: Figures]

function figuresOf<Figures>(
  all: readonly ArchitectureResults[],
  find: (results: Results) => Figures | undefined,
): Of<Figures>[] {
  return all.flatMap(({ architecture, results }) => {
    const figures = find(results)
    return figures === undefined ? [] : [[architecture, figures] as const]
  })
}

type EndToEnd = ResultFigures['end-to-end']

function streamCharts(all: readonly Of<EndToEnd>[]): NamedChart[] {
  const both = (of: (row: EndToEnd[number]) => number | null) =>
    all.flatMap(([architecture, rows]) => [
      { name: `Sauti, ${architecture}`, points: pointsOf(rows, 'sauti', of) },
      {
        name: `sherpa-onnx behind a plain ws server, ${architecture}`,
        points: pointsOf(rows, 'sherpa-onnx', of),
      },
    ])
  const streams = { label: 'streams at once, on one core', kind: 'linear' } as const
  return [
    describe({
      name: 'streams-latency',
      title: 'How long a final takes, with more and more streams',
      x: streams,
      y: { label: 'flush to final, p99 in ms', kind: 'log' },
      series: both(row => row.p99Ms),
      limit: { y: FINAL_LIMIT_MS, label: `${FINAL_LIMIT_MS} ms` },
    }),
    describe({
      name: 'cpu-per-stream',
      title: 'CPU time per stream',
      x: streams,
      y: { label: 'CPU-ms per second and stream', kind: 'linear' },
      series: both(row => (row.core / row.admitted) * 1000),
    }),
    describe({
      name: 'growth-streams',
      title: 'How CPU time grows with streams',
      x: { ...streams, kind: 'log' },
      y: { label: 'cores', kind: 'log' },
      series: both(row => row.core).map(withExponent),
    }),
  ]
}

function pointsOf(rows: EndToEnd, service: string, of: (row: EndToEnd[number]) => number | null): Point[] {
  return rows.flatMap(row => {
    const value = of(row)
    return row.service === service && value !== null ? [[row.admitted, value] as const] : []
  })
}

function ledgerChart([architecture, ledger]: Of<ResultFigures['growth']['ledger']>): NamedChart {
  type Row = (typeof ledger)[number]
  const series = (name: string, of: (row: Row) => number) =>
    withExponent({ name, points: ledger.map(row => [row.sessions, of(row)] as const) })
  return describe({
    name: `growth-ledger-${architecture}`,
    title: `How cost grows with the sessions in the ledger, ${architecture}`,
    x: { label: `sessions in the ledger (${ledger[0]!.database})`, kind: 'log' },
    y: { label: 'ms', kind: 'log' },
    series: [
      series('Create a session', row => row.creationMs),
      series('Read usage', row => row.usageMs),
      series('Start the service', row => row.startUpMs),
      series('Verify the whole ledger', row => row.verifyMs),
    ],
  })
}

function idleChart(all: readonly Of<ResultFigures['growth']['idle']>[]): NamedChart {
  type Row = ResultFigures['growth']['idle'][number]
  const series = (what: string, of: (row: Row) => number) =>
    all.map(([architecture, idle]) =>
      withExponent({
        name: `${what}, ${architecture}`,
        points: idle.map(row => [row.connections, of(row)] as const),
      }),
    )
  return describe({
    name: 'growth-idle',
    title: 'How cost grows with idle connections',
    x: { label: 'idle connections', kind: 'log' },
    y: { label: 'CPU-ms per second; MB', kind: 'log' },
    series: [
      ...series('CPU-ms per second', row => row.cpuMsPerSecond),
      ...series('MB that they add', row => row.memoryMb),
    ],
  })
}

function memoryChart([architecture, { use, asked }]: Of<ResultFigures['load']>): NamedChart {
  const samples = use!.samples
  return describe({
    name: `memory-${architecture}`,
    title: `Memory under load: ${asked.streams} streams and ${asked.files} ${asked.files === 1 ? 'sender' : 'senders'} of files, ${architecture}`,
    x: { label: 'minutes', kind: 'linear' },
    y: { label: 'MB', kind: 'linear' },
    series: [
      { name: 'Service', points: samples.map(one => [one.seconds / 60, one.frontMb] as const) },
      { name: 'Engines', points: samples.map(one => [one.seconds / 60, one.enginesMb] as const) },
    ],
  })
}

function withExponent({ name, points }: Series): Series {
  const exponent = exponentOf(points)
  return exponent === undefined
    ? { name, points }
    : { name: `${name}, exponent ${exponent.toFixed(2)}`, points }
}

/** The same in words: the first and the last figure of every line. */
function describe(chart: Omit<NamedChart, 'description'>): NamedChart {
  const { x, y, series } = chart
  const lines = series.map(({ name, points }) => {
    const ends = points.length < 2 ? points : [points[0]!, points.at(-1)!]
    return `${name}: ${ends.map(([a, b]) => `${show(b)} at ${show(a)}`).join(', ')}.`
  })
  return { ...chart, description: `${y.label} against ${x.label}. ${lines.join(' ')}` }
}

function show(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}
