// What a load run found, as text: for the terminal, RESULTS.md and docs/latency.md.

import { type Cell, tableOf } from '../results/table.ts'
import type { LatencyFigures, LoadFigures, Spread } from './figures.ts'
import type { Growth } from './watch.ts'

const MOST_ROWS = 10

type Row = readonly [name: string, figures: keyof LatencyFigures]

/** Names as in docs/latency.md. */
const LATENCIES: readonly Row[] = [
  ['Flush to final', 'flushToFinal'],
  ['First delta, from the first sample', 'firstDelta'],
  ['Delta behind the audio that it covers', 'deltaBehindAudio'],
  ['Time to final segment (Pipecat)', 'pipecatTimeToFinalSegment'],
  ['First partial after end of speech (Artificial Analysis)', 'firstPartialAfterEndOfSpeech'],
  ['First final after end of speech (Artificial Analysis)', 'firstFinalAfterEndOfSpeech'],
  ['Word emission latency (Picovoice)', 'wordEmission'],
]

export function latencyTable(latency: LatencyFigures): string[] {
  return [
    '| Latency in ms | Mean | p50 | p95 | p99 | Measured |',
    '|---|--:|--:|--:|--:|--:|',
    ...LATENCIES.map(([name, figures]) => `| ${name} | ${cells(latency[figures])} |`),
  ]
}

/** The same definitions for two services, side by side. What one of them does not tell is left open. */
export function comparisonTable(ours: LoadFigures, theirs: LoadFigures): string[] {
  const both = [ours, theirs]
  const row = ([name, figures]: Row): Cell[] => [
    name,
    ...both.flatMap(({ latency }) => [latency[figures]?.p50Ms ?? null, latency[figures]?.p99Ms ?? null]),
  ]
  const counted: Cell[] = ['Utterances', ...both.flatMap(({ utterances }) => [utterances, null])]
  const words: Cell[] = ['Word errors, %', ...both.flatMap(one => [one.words.errorPercent, null])]
  return tableOf(
    ['ms', 'Sauti, p50', 'p99', 'sherpa-onnx, p50', 'p99'],
    [...LATENCIES.map(row), counted, words],
  )
}

function cells(spread: Spread | null): string {
  if (spread === null) return '- | - | - | - | 0'
  const { meanMs, p50Ms, p95Ms, p99Ms, count } = spread
  return [meanMs, p50Ms, p95Ms, p99Ms, count].join(' | ')
}

export function loadFacts(figures: LoadFigures): string[] {
  const { asked, sessions, utterances, words, asAlone, files, errors, use } = figures
  const failed = Object.entries(errors)
  return [
    `${asked.streams} streams in real time and ${asked.files} ${asked.files === 1 ? 'sender' : 'senders'} of files for ${asked.minutes} min: ${sessions} sessions, ${utterances} utterances`,
    `Words: ${right(words)}. The reference is the known text of the clips.`,
    `Same text as when the service had nothing else to do: ${asAlone.same} of ${asAlone.same + asAlone.different} utterances`,
    ...(files === null
      ? []
      : [
          `Files: ${files.count}, ${files.medianSpeed} times as fast as they last (median). Words: ${right(files.words)}`,
        ]),
    `Errors: ${failed.length === 0 ? 'none' : failed.map(([code, count]) => `${count} ${code}`).join(', ')}`,
    ...(use === null
      ? ['CPU and memory: not known, because the service runs elsewhere']
      : [
          `CPU: ${use.frontCores} cores for the service, ${use.enginesCores} for its engines; other programs took ${use.othersCores}`,
          `Memory of the service: ${growth(use.frontMemory)}`,
          `Memory of the engines: ${growth(use.enginesMemory)}`,
        ]),
  ]
}

/** CPU time and memory over time, in at most so many rows. */
export function useTable(use: LoadFigures['use']): string[] {
  if (use === null) return []
  const every = Math.ceil(use.samples.length / MOST_ROWS)
  return tableOf(
    [
      'Seconds',
      'Streams',
      'Cores, service',
      'Cores, engines',
      'Cores of others',
      'MB, service',
      'MB, engines',
    ],
    use.samples
      .filter((_, i) => (i + 1) % every === 0)
      .map(one => [one.seconds, one.streams, one.front, one.engines, one.others, one.frontMb, one.enginesMb]),
  )
}

function right({ said, errors, errorPercent }: LoadFigures['words']): string {
  return `${errors} errors in ${said} (${errorPercent} %)`
}

function growth(found: Growth | null): string {
  if (found === null) return 'too few samples'
  const { meanMb, mbPerHour, grownMb, isFlat } = found
  const average = `${meanMb.toFixed()} MB on average`
  if (isFlat === null) return `${average}; too short a run to say whether it is flat`
  const verdict = isFlat ? 'flat' : '**grows**'
  return `${verdict}; ${average}, ${signed(grownMb)} MB over the run without its first quarter (${signed(mbPerHour)} MB per hour)`
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`
}
