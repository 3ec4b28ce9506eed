// npm run bench -- plan: the tables of docs/capacity.md. A test compares them with that page.

import { randomNumbers } from '../engine/random.ts'
import { type Plan, planFor, STREAMS_PER_CORE } from './arithmetic.ts'
import { ASSUMED, GIVEN, MEASURED } from './costs.ts'
import { simulate } from './simulation.ts'

const SIZES = [10_000, 1_000_000]
const SIMULATED = 10_000

const number = (value: number, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

type Row = readonly [what: string, arithmetic: string, show: (plan: Plan) => string]

const ROWS: readonly Row[] = [
  [
    'Streams that a node admits',
    `${ASSUMED.enginesPerNode} engines × ${number(STREAMS_PER_CORE, 1)} × ${number(MEASURED.admittedShare, 2)}`,
    plan => number(plan.nodeCapacity),
  ],
  ['Streams planned per node', `× ${ASSUMED.load}`, plan => number(plan.nodePlanned)],
  ['Nodes', 'streams / planned per node', plan => number(plan.nodes)],
  ['Cores', `× ${ASSUMED.coresPerNode}`, plan => number(plan.cores)],
  [
    'Main process of a node, of one core',
    `planned × ${GIVEN.framesPerSecond} frames × ${MEASURED.cpuUsPerFrame} µs`,
    plan => `${number(plan.mainProcess * 100)} %`,
  ],
  [
    'Memory for the streams of a node',
    `planned × ${MEASURED.memoryMbPerStream} MB`,
    plan => `${number(plan.nodeMemoryMb)} MB`,
  ],
  ['Audio into a node', `planned × ${GIVEN.kbitPerStream} kbit/s`, plan => `${number(plan.nodeMbit)} Mbit/s`],
  [
    'Audio in total',
    `streams × ${GIVEN.kbitPerStream} kbit/s`,
    plan => `${number(plan.totalGbit, 2)} Gbit/s`,
  ],
  [
    'Creations per second, busiest minute',
    `${ASSUMED.burst} × streams / ${ASSUMED.sessionSeconds} s`,
    plan => number(plan.creations),
  ],
  [
    'Transactions per second for them',
    `× ${MEASURED.transactionsPerCreation}`,
    plan => number(plan.sessionTransactions),
  ],
  [
    'Transactions per second for upkeep',
    `nodes × ${GIVEN.upkeepPerNode}`,
    plan => number(plan.upkeepTransactions),
  ],
  ['Database connections', `nodes × ${GIVEN.connectionsPerNode}`, plan => number(plan.connections)],
  [
    'Databases like the measured one',
    `creations / (${MEASURED.creationsPerSecond} × ${ASSUMED.databaseShare})`,
    plan => number(plan.ledgers),
  ],
]

export async function run(): Promise<void> {
  const plans = SIZES.map(planFor)
  console.log(`| Figure | Arithmetic | ${SIZES.map(size => `${number(size)} streams`).join(' | ')} |`)
  console.log(`|---|---|${SIZES.map(() => '--:|').join('')}`)
  for (const [what, arithmetic, show] of ROWS)
    console.log(`| ${what} | ${arithmetic} | ${plans.map(show).join(' | ')} |`)
  const { sessions, refused, peakStreams, peakLoad, wait99Ms } = simulate(SIMULATED, randomNumbers(1))
  console.log()
  console.log(
    '| Simulated sessions | Refused | Most streams at once | Fullest node | Creation in the database, p99 |',
  )
  console.log('|--:|--:|--:|--:|--:|')
  console.log(
    `| ${number(sessions)} | ${number(refused)} | ${number(peakStreams)} | ${number(peakLoad * 100)} % | ${number(wait99Ms, 1)} ms |`,
  )
}
