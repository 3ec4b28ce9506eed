// bench/RESULTS.md, from the results as they are. Nothing on it is written by hand.

import { latencyTable, loadFacts, useTable } from '../load/report.ts'
import { exponentOf, type Point } from '../measure/numbers.ts'
import { chartsOf } from '../plots/charts.ts'
import { ratiosOf } from './ratios.ts'
import { RESULT_NAMES, type Recorded, type ResultFigures, type ResultName, type Results } from './shapes.ts'
import { tableOf } from './table.ts'

/** Fewer cores than this are the system's own work. */
const QUIET_CORES = 0.15

type Sections = { readonly [Name in ResultName]: (figures: ResultFigures[Name]) => string[] }

const SECTIONS: Sections = {
  'end-to-end': rows => [
    'The whole service on one core, with TLS, accounts, database and language model, beside a plain `ws` server with sherpa-onnx and the same model on the same core. Utterances of 3 to 8 s in both languages, in real time, each ended by a flush.',
    '',
    ...tableOf(
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
  ],
  engine: ({ costs, pool }) => [
    'CPU-ms per chunk, the median of rounds in turn.',
    '',
    ...tableOf(
      ['Look-ahead', 'Chunk ms', 'Bare ONNX Runtime', 'Ours, greedy', 'sherpa-onnx', 'Ours, language model'],
      costs.map(row => [row.lookAhead, row.chunkMs, row.bareMs, row.greedyMs, row.sherpaMs, row.languageMs]),
    ),
    ...(pool.length === 0
      ? []
      : [
          '',
          'One engine with all the streams that it admits, in real time:',
          '',
          ...tableOf(
            [
              'Look-ahead',
              'Streams',
              'Cores',
              'Flush to final p50 ms',
              'p99 ms',
              'First delta p50 ms',
              'p99 ms of it',
              'Cores of others',
            ],
            pool.map(row => [
              row.lookAhead,
              row.streams,
              row.engineShare,
              row.finalP50Ms,
              row.finalP99Ms,
              row.deltaP50Ms,
              row.deltaP99Ms,
              row.othersShare,
            ]),
          ),
        ]),
  ],
  stream: ({ cpuUsPerFrame, eventP50Ms, eventP99Ms, idleCpuUsPerSecond, idleRssKiB, streams, idle }) => [
    'What a connection costs beside a bare `ws` echo server, the recogniser replaced by an echo. Medians of the rounds.',
    '',
    ...tableOf(
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
  ],
  http: rows => [
    'Requests over TLS from 16 connections.',
    '',
    ...tableOf(
      ['Database', 'Request', 'Per second', 'p50 ms', 'p99 ms', 'Of the bare route'],
      rows.map(row => [row.database, row.request, row.perSecond, row.p50Ms, row.p99Ms, row.ofBare]),
    ),
  ],
  'start-up': rows => [
    'From the start of the process until it is ready, with both models, on all cores, and the CPU time of all its processes until then; their memory (proportional set size) at that moment, and after short sessions, each of one utterance of 3 to 8 s. Ours is `sauti serve` with the embedded database. Medians of the starts; the sessions are held once.',
    '',
    ...tableOf(
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
  ],
  growth: ({ streams, idle, ledger }) => [
    'The exponent is the b of cost = a · size^b: 0 where the cost stays, 1 where it grows as its cause does.',
    ...(ledger.length === 0
      ? []
      : [
          '',
          ...tableOf(
            ['Sessions in the ledger', 'Database', 'Creation ms', 'Usage ms', 'Start-up ms', 'Verify ms'],
            ledger.map(row => [
              row.sessions,
              row.database,
              row.creationMs,
              row.usageMs,
              row.startUpMs,
              row.verifyMs,
            ]),
          ),
          '',
          exponents(ledger, row => row.sessions, {
            creation: row => row.creationMs,
            usage: row => row.usageMs,
            'start-up': row => row.startUpMs,
            verify: row => row.verifyMs,
          }),
        ]),
    ...(idle.length === 0
      ? []
      : [
          '',
          ...tableOf(
            ['Idle connections', 'CPU-ms per second', 'MB that they add'],
            idle.map(row => [row.connections, row.cpuMsPerSecond, row.memoryMb]),
          ),
          '',
          exponents(idle, row => row.connections, {
            CPU: row => row.cpuMsPerSecond,
            memory: row => row.memoryMb,
          }),
        ]),
    ...(streams.length === 0
      ? []
      : [
          '',
          ...tableOf(
            ['Streams', 'Cores', 'Of them engine', 'Memory MB'],
            streams.map(row => [row.streams, row.core, row.engineCore, row.memoryMb]),
          ),
        ]),
  ],
  noisy: rows => [
    'Another program takes what it gets of the core that the whole service runs on. People come twice per second, say four utterances and leave: more than one core holds. Those who are refused come back once, after `Retry-After`.',
    '',
    ...tableOf(
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
  ],
  load: loadSection,
  soak: loadSection,
}

export function resultsPage(results: Results): string {
  return [
    '# Results',
    '',
    'Made by `npm run bench -- all` from the files in `bench/results`; not edited by hand, which a test checks. [README.md](README.md) says what each',
    'bench does. Figures are of one machine and one moment: compare what was measured in the same run. "Other work beside it" means that other',
    'programs took CPU time just before or just after; then only the ratios say something.',
    '',
    '## Ours beside others',
    '',
    ...tableOf(
      ['What', 'Ours', 'Peer', 'Theirs', 'Ours / theirs'],
      ratiosOf(results).map(one => [one.what, one.ours, one.peer, one.theirs, one.ratio]),
    ),
    '',
    ...chartsOf(results).flatMap(({ name, title, description }) => [
      `![${title}. ${description}](../docs/plots/${name}.svg)`,
      '',
    ]),
    ...RESULT_NAMES.flatMap(name => sectionOf(results, name)),
  ].join('\n')
}

function sectionOf<Name extends ResultName>(results: Results, name: Name): string[] {
  const recorded = results[name] as Recorded<ResultFigures[Name]> | undefined
  if (recorded === undefined) return []
  return [`## ${name}`, '', ...circumstances(recorded), '', ...SECTIONS[name](recorded.figures), '']
}

export function circumstances({ command, date, commit, machine, others }: Recorded<unknown>): string[] {
  const { architecture, processor, cores, memoryGb, system, node } = machine
  return [
    `\`${command}\`, ${date.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${architecture} (${processor}), ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}. ${besideOthers(others)}`,
  ]
}

export function isQuiet({ before, after }: Recorded<unknown>['others']): boolean {
  return Math.max(before, after) < QUIET_CORES
}

function besideOthers({ before, after }: Recorded<unknown>['others']): string {
  if (isQuiet({ before, after })) return 'Nothing else ran.'
  return `**Other work beside it**: ${before} cores before, ${after} after.`
}

function loadSection(figures: ResultFigures['load']): string[] {
  const facts = loadFacts(figures).map(fact => `- ${fact}`)
  return [...facts, '', ...latencyTable(figures.latency), '', ...useTable(figures.use)]
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
