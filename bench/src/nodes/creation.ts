// How many sessions per second one, two and three nodes create and cancel again, and what one costs in the database: statements,
// transactions, time, and how many connections wait for a lock.

import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { Fleet } from './fleet.ts'

const MEASURE_MS = 6_000
const CLIENTS_PER_NODE = 8
const LOOK_EVERY_MS = 50
/** A connection reports its counters about once per second. */
const COUNTERS_LATE_MS = 1_500

export interface CreationReport {
  readonly nodes: number
  readonly perSecond: number
  readonly refused: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of one session, created and cancelled. */
  readonly statements: number
  readonly transactions: number
  readonly databaseMs: number
  readonly placeMs: number
  /** Connections that wait for a lock, on average. */
  readonly waiting: number
}

interface Counters {
  readonly statements: number
  readonly databaseMs: number
  readonly transactions: number
  readonly calls: number
  readonly placeMs: number
}

export async function measureCreation(cluster: Cluster, nodes: number): Promise<CreationReport> {
  const before = await readCounters(cluster)
  const waiting = watchWaiting(cluster)
  const { times, refused } = await createAndCancel(cluster, nodes)
  const waited = await waiting.stop()
  await wait(COUNTERS_LATE_MS)
  const after = await readCounters(cluster)
  const calls = after.calls - before.calls
  const each = (name: keyof Counters) => (after[name] - before[name]) / calls
  return {
    nodes,
    perSecond: times.length / (MEASURE_MS / 1000),
    refused,
    p50Ms: times[Math.floor(times.length * 0.5)]!,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
    statements: (after.statements - before.statements - waited.looks) / calls,
    transactions: (after.transactions - before.transactions - waited.looks) / calls,
    databaseMs: each('databaseMs'),
    placeMs: each('placeMs'),
    waiting: waited.mean,
  }
}

/** Times of creations, shortest first. */
async function createAndCancel(
  cluster: Cluster,
  nodes: number,
): Promise<{ times: number[]; refused: number }> {
  const fleet = new Fleet(cluster)
  const times: number[] = []
  let refused = 0
  const endMs = performance.now() + MEASURE_MS
  const work = cluster.nodes.slice(0, nodes).flatMap((node, nodeIndex) =>
    Array.from({ length: CLIENTS_PER_NODE }, async (_, index) => {
      const client = nodeIndex * CLIENTS_PER_NODE + index
      while (performance.now() < endMs) {
        const startMs = performance.now()
        const session = await fleet.create(node, client)
        if (!session) {
          refused++
          continue
        }
        times.push(performance.now() - startMs)
        await fleet.cancel(node, client, session)
      }
    }),
  )
  await Promise.all(work)
  await fleet.stop()
  return { times: times.sort((a, b) => a - b), refused }
}

function watchWaiting({ database }: Cluster): { stop(): Promise<{ mean: number; looks: number }> } {
  const seen: number[] = []
  let isWatching = true
  const watching = (async () => {
    while (isWatching) {
      const [row] = await database.query<{ waiting: number }>(
        `SELECT count(*) AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
      )
      seen.push(row!.waiting)
      await wait(LOOK_EVERY_MS)
    }
  })()
  return {
    async stop() {
      isWatching = false
      await watching
      return { mean: seen.reduce((sum, one) => sum + one, 0) / seen.length, looks: seen.length }
    },
  }
}

async function readCounters(cluster: Cluster): Promise<Counters> {
  const [row] = await cluster.database.query<Counters>(
    `SELECT (SELECT sum(calls)::bigint FROM pg_stat_statements) AS statements,
            (SELECT sum(total_exec_time) FROM pg_stat_statements) AS "databaseMs",
            (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions,
            coalesce(calls, 0) AS calls, coalesce(total_time, 0) AS "placeMs"
     FROM (VALUES (1)) one LEFT JOIN pg_stat_user_functions ON funcname = 'place_session'`,
  )
  return row!
}
