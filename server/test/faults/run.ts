// npm run faults: plans the lots from the seed, runs them, each database in a line of its own, and writes what was found.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { describeRun } from '../../../scripts/provenance.mjs'
import { Installation } from './installation.ts'
import { ALL_KINDS, type Kind, SUITES, type Suite } from './kinds.ts'
import { findLeaks, type LotResult, type Nodes, runLot } from './lot.ts'
import { type DatabaseKind, type Lot, planLot } from './plan.ts'
import { writeReport } from './report.ts'

const LOT_SIZE = 20
/** A credential lives for 60 s; then the sweep ends its reservation. */
const RELEASED_AFTER_MS = 65_000

const { SAUTI_FAULTS_HISTORIES = '40', SAUTI_FAULTS_SEED = '1', SAUTI_FAULTS_ONLY = '' } = process.env
const { SAUTI_FAULTS_SUITE = 'service', SAUTI_FAULTS_REPORT, SAUTI_FAULTS_PLAN } = process.env
const CLI = fileURLToPath(new URL('../../../cli/bin/sauti.js', import.meta.url))
const runProgram = promisify(execFile)

/** Where lots run one after the other. */
interface Line {
  readonly database: DatabaseKind
  readonly nodes: number
}
const LINES: readonly Line[] = [
  { database: 'embedded', nodes: 1 },
  { database: 'postgres', nodes: 1 },
  { database: 'postgres', nodes: 3 },
]

it('keeps the books through every history', async () => {
  const began = describeRun(describeCommand())
  const lots = planAll(Number(SAUTI_FAULTS_SEED), Number(SAUTI_FAULTS_HISTORIES), SAUTI_FAULTS_ONLY)
  if (SAUTI_FAULTS_PLAN) return void process.stdout.write(`${lots.map(showPlan).join('\n')}\n`)
  const results = await Promise.all(LINES.map(line => runLine(line, lots)))
  if (SAUTI_FAULTS_REPORT) writeFileSync(SAUTI_FAULTS_REPORT, writeReport(began, results.flat()))
  expect(results.flat().flatMap(({ problems }) => problems)).toEqual([])
})

function describeCommand(): string {
  const only = SAUTI_FAULTS_ONLY === '' ? '' : ` --only ${SAUTI_FAULTS_ONLY}`
  const suite = SAUTI_FAULTS_SUITE === 'service' ? '' : ` --suite ${SAUTI_FAULTS_SUITE}`
  return `npm run faults --${suite}${only} --histories ${SAUTI_FAULTS_HISTORIES} --seed ${SAUTI_FAULTS_SEED}`
}

/** Lot n of seed S is lot 0 of seed S + n, so any one repeats by itself. */
function planAll(seed: number, histories: number, only: string): Lot[] {
  if (only !== '' && !ALL_KINDS.includes(only as Kind)) throw new Error(`kinds are: ${ALL_KINDS.join(', ')}`)
  if (!Object.hasOwn(SUITES, SAUTI_FAULTS_SUITE))
    throw new Error(`suites are: ${Object.keys(SUITES).join(', ')}`)
  const kind = only === '' ? undefined : (only as Kind)
  return Array.from({ length: Math.ceil(histories / LOT_SIZE) }, (_, index) =>
    planLot(seed + index, {
      kind,
      suite: SAUTI_FAULTS_SUITE as Suite,
      histories: Math.min(LOT_SIZE, histories - index * LOT_SIZE),
    }),
  )
}

async function runLine({ database, nodes: count }: Line, all: readonly Lot[]): Promise<LotResult[]> {
  const lots = all.filter(lot => lot.database === database && lot.nodes === count)
  if (lots.length === 0) return []
  const nodes = await createNodes(database, count)
  const results: LotResult[] = []
  try {
    for (const lot of lots) {
      results.push(await runLot(lot, nodes))
      say(
        results.at(-1)!,
        nodes.flatMap(node => node.takeComplaints()),
      )
    }
    await wait(RELEASED_AFTER_MS)
    const judged = await Promise.all(results.map(result => lookForLeaks(result, nodes)))
    const answer = await verify(nodes[0])
    process.stdout.write(`${database}, ${count} nodes: ${answer}`)
    expect(answer).toContain('the ledger agrees')
    return judged
  } finally {
    for (const node of nodes) await node.stop()
  }
}

async function createNodes(database: DatabaseKind, count: number): Promise<Nodes> {
  if (count === 1) return [await Installation.create(database)]
  const [first, ...others] = await Installation.createNodes(count)
  return [first!, ...others]
}

/** As an operator asks; rejects when the ledger does not agree. */
async function verify({ env }: Installation): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SAUTI_'))
  const { stdout } = await runProgram(process.execPath, [CLI, 'ledger', 'verify'], {
    env: { ...Object.fromEntries(inherited), ...env },
  })
  return stdout
}

function showPlan(lot: Lot): string {
  const histories = lot.histories.map((history, index) => `  history ${index}: ${JSON.stringify(history)}`)
  const strikes = lot.strikes.map(strike => `  ${JSON.stringify(strike)}`)
  return [`lot ${lot.seed}: ${lot.kind} on ${lot.database}`, ...histories, ...strikes].join('\n')
}

async function lookForLeaks(result: LotResult, nodes: Nodes): Promise<LotResult> {
  const problems = new Set([...result.problems, ...(await findLeaks(result, nodes))])
  return { ...result, problems: [...problems] }
}

/** Errors of the log are shown only beside a problem: a database that is unavailable causes many. */
function say({ lot, problems, tookMs }: LotResult, complaints: readonly string[]): void {
  const { seed, kind, database, strikes, histories } = lot
  const faults = strikes.map(one => `${one.fault} in operation ${one.operation} of history ${one.history}`)
  const lines = [
    `lot ${seed}: ${kind} on ${database}, ${histories.length} histories, ${Math.round(tookMs / 1000)} s`,
    ...(strikes.length <= 3 ? faults.map(fault => `  ${fault}`) : []),
    ...problems.map(problem => `  PROBLEM ${problem}`),
    ...(problems.length > 0 ? complaints.slice(0, 20) : []),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
