// How many sessions per second one, two and three nodes create and cancel again, and what one costs in the database.

import type { Cluster } from './cluster.ts'
import { Fleet } from './fleet.ts'

const MEASURE_MS = 6_000
const CLIENTS_PER_NODE = 8

export interface CreationReport {
  readonly nodes: number
  readonly perSecond: number
  readonly refused: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly transactions: number
  readonly placeMs: number
}

interface Counters {
  readonly transactions: number
  readonly calls: number
  readonly placeMs: number
}

export async function measureCreation(cluster: Cluster, nodes: number): Promise<CreationReport> {
  const fleet = new Fleet(cluster)
  const times: number[] = []
  const before = await readCounters(cluster)
  const endMs = performance.now() + MEASURE_MS
  let refused = 0
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
  // The counters of a connection are told about once a second.
  await new Promise(resolve => setTimeout(resolve, 1_500))
  const after = await readCounters(cluster)
  const calls = after.calls - before.calls
  times.sort((a, b) => a - b)
  return {
    nodes,
    perSecond: times.length / (MEASURE_MS / 1000),
    refused,
    p50Ms: times[Math.floor(times.length * 0.5)]!,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
    transactions: (after.transactions - before.transactions) / calls,
    placeMs: (after.placeMs - before.placeMs) / calls,
  }
}

async function readCounters(cluster: Cluster): Promise<Counters> {
  const [row] = await cluster.database.query<Counters>(
    `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions,
            coalesce(calls, 0) AS calls, coalesce(total_time, 0) AS "placeMs"
     FROM (VALUES (1)) one LEFT JOIN pg_stat_user_functions ON funcname = 'place_session'`,
  )
  return row!
}
