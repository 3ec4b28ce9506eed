// npm run bench -- nodes [SCENARIO ...] [--report FILE]: three nodes with the real models on one PostgreSQL with a synchronous standby, and
// what happens to them: placement, a kill, a pause, a cut line to the database, a failover, a rolling restart. Then how fast sessions are
// created. Ends with an error where something is not as it must be.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { describeRun } from '../../../scripts/provenance.mjs'
import { Cluster } from './cluster.ts'
import { type CreationReport, measureCreation } from './creation.ts'
import { findProblems, type Report, runScenario, SCENARIOS } from './scenarios.ts'

const NODES = 3
const STREAMS_PER_NODE = 8
const SETTINGS = {
  SAUTI_RECOGNISER_WORKERS: '1',
  SAUTI_MAX_STREAMS: String(STREAMS_PER_NODE * 2),
  SAUTI_DATABASE_PATIENCE_SECONDS: '20',
  SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000',
  SAUTI_LOG_LEVEL: 'info',
}

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { report: { type: 'string' } },
  })
  const began = describeRun(['npm run bench -- nodes', ...positionals.map(name => `'${name}'`)].join(' '))
  const names = positionals.length > 0 ? positionals : [...Object.keys(SCENARIOS), 'creation']
  const page = new Page()
  const problems: string[] = []
  const cluster = await Cluster.start(NODES, SETTINGS)
  try {
    page.add(
      '| scenario | sessions | failed | of them on other nodes | of them billed | told | | ledger agrees, no slot leaked |',
      '|---|--:|--:|--:|--:|---|---|---|',
    )
    for (const name of names.filter(one => one in SCENARIOS)) {
      const report = await runScenario(cluster, name, NODES * STREAMS_PER_NODE)
      page.add(describe(report))
      problems.push(...findProblems(report))
    }
    if (names.includes('creation')) await showCreation(cluster, page)
  } finally {
    await cluster.stop()
  }
  const verdict = problems.length === 0 ? 'Everything is as it must be.' : `PROBLEMS: ${problems.join('; ')}.`
  if (values.report !== undefined) page.write(values.report, began, verdict)
  console.log(verdict)
  process.exitCode = problems.length === 0 ? 0 : 1
}

/** Lines are shown as they come, because the whole takes minutes. */
class Page {
  readonly #lines: string[] = []

  add(...lines: readonly string[]): void {
    this.#lines.push(...lines)
    console.log(lines.join('\n'))
  }

  write(file: string, began: string, verdict: string): void {
    const about = `Three nodes with the bundled models on one PostgreSQL with a synchronous standby, ${NODES * STREAMS_PER_NODE} clients at the pace of speech. ${verdict}`
    const meaning = '[What the columns mean](../../bench/README.md#nodes)'
    writeFileSync(
      file,
      `${['# Nodes under faults', '', `${about} ${meaning}`, '', began, '', ...this.#lines].join('\n')}\n`,
    )
  }
}

function describe(report: Report): string {
  const { scenario, sessions, failed, strayFailures, billedFailures, reasons, figure, isClean } = report
  const verdict = isClean ? 'yes' : 'NO'
  const told = reasons.join(', ')
  return `| ${scenario} | ${sessions} | ${failed} | ${strayFailures} | ${billedFailures} | ${told} | ${figure} | ${verdict} |`
}

async function showCreation(cluster: Cluster, page: Page): Promise<void> {
  page.add(
    '',
    '| nodes | sessions created and cancelled per second | refused | p50 | p99 | statements each | transactions each | in the database each | place_session | waiting for a lock |',
    '|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
  )
  for (let nodes = 1; nodes <= NODES; nodes++)
    page.add(describeCreation(await measureCreation(cluster, nodes)))
}

function describeCreation(report: CreationReport): string {
  const { nodes, perSecond, refused, statements, transactions, waiting } = report
  const ms = (value: number) => `${value.toFixed(1)} ms`
  const times = [report.p50Ms, report.p99Ms].map(ms)
  const counts = [statements, transactions].map(count => count.toFixed(1))
  const cost = [...counts, ms(report.databaseMs), ms(report.placeMs), waiting.toFixed(2)]
  return `| ${[nodes, perSecond.toFixed(0), refused, ...times, ...cost].join(' | ')} |`
}
