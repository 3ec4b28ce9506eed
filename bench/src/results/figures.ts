// What each bench found, as the tables of RESULTS.md.

import { latencyTable, loadFacts, useTable } from '../load/report.ts'
import { exponentOf, type Point } from '../measure/numbers.ts'
import type { ResultFigures, ResultName } from './shapes.ts'
import { tableOf } from './table.ts'

/** What a bench does, where its figures do not say it. */
export const ABOUT: Partial<Readonly<Record<ResultName, string>>> = {
  'end-to-end':
    'The whole service on one core, with TLS, accounts, database and language model, beside a plain `ws` server with sherpa-onnx and the same model on the same core. Utterances of 3 to 8 s in both languages, in real time, each ended by a flush.',
  engine: 'CPU-ms per chunk, the median of rounds in turn.',
  stream:
    'What a connection costs beside a bare `ws` echo server, the recogniser replaced by an echo. Medians of the rounds.',
  http: 'Requests over TLS from 16 connections.',
  'start-up':
    'From the start of the process until it is ready, with both models, on all cores, and the CPU time of all its processes until then; their memory (proportional set size) at that moment, and after short sessions, each of one utterance of 3 to 8 s. Ours is `sauti serve` with the embedded database. Medians of the starts; the sessions are held once.',
  growth:
    'The exponent is the b of cost = a · size^b: 0 where the cost stays, 1 where it grows as its cause does.',
  noisy:
    'Another program takes what it gets of the core that the whole service runs on. People come twice per second, say four utterances and leave: more than one core holds. Those who are refused come back once, after `Retry-After`.',
}

type Tables = { readonly [Name in ResultName]: (figures: ResultFigures[Name]) => string[] }

/** What was found, as Markdown. */
export const TABLES: Tables = {
  'end-to-end': rows =>
    tableOf(
      [
        'Streams asked',
        'Service',
        'Admitted',
        'Cores',
        'Flush to final p50 ms',
        'p99 ms',
        'Finals',
        'Memory MB',
        'Cores of others',
      ],
      rows.map(row => [
        row.asked,
        row.service,
        row.admitted,
        row.core,
        row.p50Ms,
        row.p99Ms,
        row.finals,
        row.memoryMb,
        row.others,
      ]),
    ),
  engine: ({ costs, pool }) => apart(costsTable(costs), poolTable(pool)),
  stream: ({ cpuUsPerFrame, eventP50Ms, eventP99Ms, idleCpuUsPerSecond, idleRssKiB, streams, idle }) =>
    tableOf(
      ['Figure', 'Bare `ws`', 'Ours'],
      [
        [`CPU-µs per frame, ${streams} streams`, cpuUsPerFrame.bare, cpuUsPerFrame.sauti],
        ['Event latency p50 ms', eventP50Ms.bare, eventP50Ms.sauti],
        ['Event latency p99 ms', eventP99Ms.bare, eventP99Ms.sauti],
        [
          `CPU-µs per second and idle connection, ${idle} of them`,
          idleCpuUsPerSecond.bare,
          idleCpuUsPerSecond.sauti,
        ],
        ['KiB per idle connection', idleRssKiB.bare, idleRssKiB.sauti],
      ],
    ),
  http: rows =>
    tableOf(
      ['Database', 'Request', 'Per second', 'p50 ms', 'p99 ms', 'Of the bare route'],
      rows.map(row => [row.database, row.request, row.perSecond, row.p50Ms, row.p99Ms, row.ofBare]),
    ),
  'start-up': rows =>
    tableOf(
      ['Service', 'Ready after ms', 'CPU-ms until then', 'Memory MB', 'Sessions', 'Memory MB after them'],
      rows.map(row => [
        row.service,
        row.readyMs,
        row.readyCpuMs,
        row.memoryMb,
        row.sessions,
        row.memoryAfterSessionsMb,
      ]),
    ),
  growth: ({ streams, idle, ledger }) => apart(ledgerTable(ledger), idleTable(idle), streamsTable(streams)),
  noisy: rows =>
    tableOf(
      [
        'Neighbour',
        'Seconds',
        'Streams',
        'Cores',
        'Flush to final p50 ms',
        'p99 ms',
        'Finals',
        'Ended by the service',
        'Came',
        'Refused',
        '`Retry-After` s',
        'Came back',
        'Refused again',
      ],
      rows.map(row => [
        row.neighbour,
        row.seconds,
        row.streams,
        row.core,
        row.p50Ms,
        row.p99Ms,
        row.finals,
        row.lost,
        row.came,
        row.refused,
        row.retryAfterSeconds?.join(' to ') ?? '-',
        row.cameBack,
        row.refusedAgain,
      ]),
    ),
  load: loadTables,
  soak: loadTables,
}

function costsTable(costs: ResultFigures['engine']['costs']): string[] {
  return tableOf(
    ['Look-ahead', 'Chunk ms', 'Bare ONNX Runtime', 'Ours, greedy', 'sherpa-onnx', 'Ours, language model'],
    costs.map(row => [row.lookAhead, row.chunkMs, row.bareMs, row.greedyMs, row.sherpaMs, row.languageMs]),
  )
}

function poolTable(pool: ResultFigures['engine']['pool']): string[] {
  if (pool.length === 0) return []
  const head = [
    'Look-ahead',
    'Streams',
    'Cores',
    'Flush to final p50 ms',
    'p99 ms',
    'First delta p50 ms',
    'p99 ms of it',
    'Cores of others',
  ]
  const rows = pool.map(row => [
    row.lookAhead,
    row.streams,
    row.engineShare,
    row.finalP50Ms,
    row.finalP99Ms,
    row.deltaP50Ms,
    row.deltaP99Ms,
    row.othersShare,
  ])
  return ['One engine with all the streams that it admits, in real time:', '', ...tableOf(head, rows)]
}

function ledgerTable(ledger: ResultFigures['growth']['ledger']): string[] {
  if (ledger.length === 0) return []
  const head = ['Sessions in the ledger', 'Database', 'Creation ms', 'Usage ms', 'Start-up ms', 'Verify ms']
  const costs = {
    creation: (row: (typeof ledger)[number]) => row.creationMs,
    usage: (row: (typeof ledger)[number]) => row.usageMs,
    'start-up': (row: (typeof ledger)[number]) => row.startUpMs,
    verify: (row: (typeof ledger)[number]) => row.verifyMs,
  }
  const rows = ledger.map(row => [row.sessions, row.database, ...Object.values(costs).map(cost => cost(row))])
  return [...tableOf(head, rows), '', exponents(ledger, row => row.sessions, costs)]
}

function idleTable(idle: ResultFigures['growth']['idle']): string[] {
  if (idle.length === 0) return []
  const head = ['Idle connections', 'CPU-ms per second', 'MB that they add', 'Pings each']
  const rows = idle.map(row => [row.connections, row.cpuMsPerSecond, row.memoryMb, row.pingsEach ?? null])
  const costs = {
    CPU: (row: (typeof idle)[number]) => row.cpuMsPerSecond,
    memory: (row: (typeof idle)[number]) => row.memoryMb,
  }
  return [...tableOf(head, rows), '', exponents(idle, row => row.connections, costs)]
}

function streamsTable(streams: ResultFigures['growth']['streams']): string[] {
  if (streams.length === 0) return []
  const head = ['Streams', 'Cores', 'Of them engine', 'Memory MB']
  return tableOf(
    head,
    streams.map(row => [row.streams, row.core, row.engineCore, row.memoryMb]),
  )
}

function loadTables(figures: ResultFigures['load']): string[] {
  const facts = loadFacts(figures).map(fact => `- ${fact}`)
  return apart(facts, latencyTable(figures.latency), useTable(figures.use))
}

/** With an empty line between those that have any. */
function apart(...parts: readonly (readonly string[])[]): string[] {
  return parts.filter(lines => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]))
}

function exponents<Row>(
  rows: readonly Row[],
  size: (row: Row) => number,
  costs: Readonly<Record<string, (row: Row) => number>>,
): string {
  const parts = Object.entries(costs).map(([name, cost]) => {
    const exponent = exponentOf(rows.map(row => [size(row), cost(row)] as Point))
    return `${name} ${exponent === undefined ? '-' : exponent.toFixed(2)}`
  })
  return `Exponents: ${parts.join(', ')}.`
}
