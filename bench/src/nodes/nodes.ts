// npm run bench -- nodes [SCENARIO ...]: three nodes with the real models on one PostgreSQL with a synchronous standby, and what happens
// to them: placement, a kill, a pause, a cut line to the database, a failover, a rolling restart. Then how fast sessions are created.

import { Cluster } from './cluster.ts'
import { type CreationReport, measureCreation } from './creation.ts'
import { type Report, runScenario, SCENARIOS } from './scenarios.ts'

const NODES = 3
const STREAMS_PER_NODE = 8

export async function run(args: readonly string[]): Promise<void> {
  const names = args.length > 0 ? args : [...Object.keys(SCENARIOS), 'creation']
  const cluster = await Cluster.start(NODES, {
    SAUTI_RECOGNISER_WORKERS: '1',
    SAUTI_MAX_STREAMS: String(STREAMS_PER_NODE * 2),
    SAUTI_DATABASE_PATIENCE_SECONDS: '20',
    SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000',
    SAUTI_LOG_LEVEL: 'info',
  })
  try {
    console.log(
      '| scenario | sessions | failed | of them on other nodes | of them billed | told | | ledger agrees, no slot leaked |',
    )
    console.log('|---|--:|--:|--:|--:|---|---|---|')
    for (const name of names.filter(one => one in SCENARIOS))
      console.log(describe(await runScenario(cluster, name, NODES * STREAMS_PER_NODE)))
    if (names.includes('creation')) await showCreation(cluster)
  } finally {
    await cluster.stop()
  }
}

function describe(report: Report): string {
  const { scenario, sessions, failed, strayFailures, billedFailures, reasons, figure, isClean } = report
  const verdict = isClean ? 'yes' : 'NO'
  const told = reasons.join(', ')
  return `| ${scenario} | ${sessions} | ${failed} | ${strayFailures} | ${billedFailures} | ${told} | ${figure} | ${verdict} |`
}

async function showCreation(cluster: Cluster): Promise<void> {
  console.log(
    '\n| nodes | sessions created and cancelled per second | refused | p50 | p99 | statements each | transactions each | in the database each | place_session | waiting for a lock |',
  )
  console.log('|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|')
  for (let nodes = 1; nodes <= NODES; nodes++)
    console.log(describeCreation(await measureCreation(cluster, nodes)))
}

function describeCreation(report: CreationReport): string {
  const { nodes, perSecond, refused, statements, transactions, waiting } = report
  const ms = (value: number) => `${value.toFixed(1)} ms`
  const times = [report.p50Ms, report.p99Ms].map(ms)
  const counts = [statements, transactions].map(count => count.toFixed(1))
  const cost = [...counts, ms(report.databaseMs), ms(report.placeMs), waiting.toFixed(2)]
  return `| ${[nodes, perSecond.toFixed(0), refused, ...times, ...cost].join(' | ')} |`
}
