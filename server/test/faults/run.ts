// npm run faults: plans the lots from the seed, runs them, each database in a line of its own, and writes what was found.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { Installation } from './installation.ts'
import { findLeaks, type LotResult, runLot } from './lot.ts'
import { type DatabaseKind, KINDS, type Kind, type Lot, planLot } from './plan.ts'
import { writeReport } from './report.ts'

const LOT_SIZE = 20
/** A credential lives for 60 s; then the sweep ends its reservation. */
const RELEASED_AFTER_MS = 65_000

const { SAUTI_FAULTS_HISTORIES = '40', SAUTI_FAULTS_SEED = '1', SAUTI_FAULTS_ONLY = '' } = process.env
const { SAUTI_FAULTS_REPORT, SAUTI_FAULTS_PLAN } = process.env
const CLI = fileURLToPath(new URL('../../../cli/bin/sauti.js', import.meta.url))
const runProgram = promisify(execFile)

it('keeps the books through every history', async () => {
  const lots = planAll(Number(SAUTI_FAULTS_SEED), Number(SAUTI_FAULTS_HISTORIES), SAUTI_FAULTS_ONLY)
  if (SAUTI_FAULTS_PLAN) return void process.stdout.write(`${lots.map(showPlan).join('\n')}\n`)
  const results = await Promise.all(
    (['embedded', 'postgres'] as const).map(database =>
      runLine(
        database,
        lots.filter(lot => lot.database === database),
      ),
    ),
  )
  if (SAUTI_FAULTS_REPORT)
    writeFileSync(SAUTI_FAULTS_REPORT, writeReport(Number(SAUTI_FAULTS_SEED), results.flat()))
  expect(results.flat().flatMap(({ problems }) => problems)).toEqual([])
})

/** Lot n of seed S is lot 0 of seed S + n, so any one repeats by itself. */
function planAll(seed: number, histories: number, only: string): Lot[] {
  if (only !== '' && !KINDS.includes(only as Kind)) throw new Error(`kinds are: ${KINDS.join(', ')}`)
  const kind = only === '' ? undefined : (only as Kind)
  return Array.from({ length: Math.ceil(histories / LOT_SIZE) }, (_, index) =>
    planLot(seed + index, {
      kind,
      histories: Math.min(LOT_SIZE, histories - index * LOT_SIZE),
    }),
  )
}

async function runLine(database: DatabaseKind, lots: readonly Lot[]): Promise<LotResult[]> {
  if (lots.length === 0) return []
  const installation = await Installation.create(database)
  const results: LotResult[] = []
  try {
    for (const lot of lots) {
      results.push(await runLot(lot, installation))
      say(results.at(-1)!, installation.takeComplaints())
    }
    await wait(RELEASED_AFTER_MS)
    const judged = await Promise.all(results.map(result => lookForLeaks(result, installation)))
    const answer = await verify(installation)
    process.stdout.write(`${database}: ${answer}`)
    expect(answer).toContain('the ledger agrees')
    return judged
  } finally {
    await installation.stop()
  }
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

async function lookForLeaks(result: LotResult, installation: Installation): Promise<LotResult> {
  const problems = new Set([...result.problems, ...(await findLeaks(result, installation))])
  return { ...result, problems: [...problems] }
}

/** Errors of the log are shown only beside a problem: a database that is away is reason enough for many. */
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
