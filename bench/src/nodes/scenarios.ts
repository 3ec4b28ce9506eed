// What can happen to nodes under load, one after the other, and what must be true afterwards.

import { setTimeout as wait } from 'node:timers/promises'
import { verifyLedger } from '@sauti/server/ledger/verify.js'
import { listNodes } from '@sauti/server/nodes/registry.js'
import type { Cluster, RunningNode } from './cluster.ts'
import { Fleet, type Outcome } from './fleet.ts'

const STEADY_MS = 8_000
const SETTLE_PATIENCE_MS = 30_000
/** Within this, sessions of a dead node are released, and sessions are created again after a promotion. */
const LONGEST_SECONDS = 15
const MOST_UNEVEN_PERCENT = 10

export interface Report {
  readonly scenario: string
  readonly sessions: number
  readonly failed: number
  /** Failed sessions of nodes that were left alone. */
  readonly strayFailures: number
  readonly billedFailures: number
  /** What the clients of failed sessions were told. */
  readonly reasons: readonly string[]
  readonly figure: string
  /** What of the figure is beyond its limit. */
  readonly tooMuch: string | undefined
  readonly isClean: boolean
}

interface Struck {
  readonly hit: RunningNode[]
  readonly figure: string
  readonly tooMuch?: string | undefined
}

type Fault = (cluster: Cluster, fleet: Fleet) => Promise<Struck>

export const SCENARIOS: Readonly<Record<string, Fault>> = {
  async placement(cluster) {
    const rounds: { capacity: number; sessions: number }[][] = []
    for (let round = 0; round < 20; round++) {
      rounds.push((await listNodes(cluster.database)).filter(({ state }) => state === 'ready'))
      await wait(500)
    }
    return { hit: [], ...describePlacement(rounds) }
  },

  async 'kill -9'(cluster) {
    const killed = cluster.nodes[0]!
    const killedAtMs = performance.now()
    await cluster.end(killed, 'SIGKILL')
    const seconds = await untilReleased(cluster, killed, killedAtMs)
    await cluster.add()
    return { hit: [killed], figure: `its sessions released after ${seconds} s`, tooMuch: tooLong(seconds) }
  },

  async 'pause 30 s'(cluster) {
    const paused = cluster.nodes[0]!
    const pausedAtMs = performance.now()
    paused.child.kill('SIGSTOP')
    const seconds = await untilReleased(cluster, paused, pausedAtMs)
    await wait(30_000 - (performance.now() - pausedAtMs))
    paused.child.kill('SIGCONT')
    await untilReady(cluster, cluster.nodes.length)
    const figure = `released after ${seconds} s; back under a new id`
    return { hit: [paused], figure, tooMuch: tooLong(seconds) }
  },

  async 'cut off from the database'(cluster) {
    // With a short limit, so that streams of a few seconds are still open when it is reached.
    const lonely = await cluster.add({ SAUTI_DATABASE_PATIENCE_SECONDS: '2' })
    await wait(STEADY_MS)
    const cutAtMs = performance.now()
    lonely.line.cut()
    const seconds = await untilReleased(cluster, lonely, cutAtMs)
    await wait(25_000 - (performance.now() - cutAtMs))
    lonely.line.mend()
    await untilReady(cluster, cluster.nodes.length)
    await cluster.end(lonely, 'SIGTERM')
    const figure = `released after ${seconds} s; back when the connection was restored`
    return { hit: [lonely], figure, tooMuch: tooLong(seconds) }
  },

  async 'fail PostgreSQL over'(cluster, fleet) {
    await cluster.postgres.killPrimary()
    await wait(2_000)
    await cluster.postgres.promoteStandby()
    const promotedAtMs = performance.now()
    while (!(await fleet.create(cluster.nodes[0]!).catch(() => undefined))) await wait(100)
    const seconds = ((performance.now() - promotedAtMs) / 1000).toFixed(1)
    return { hit: [], figure: `creation back ${seconds} s after the promotion`, tooMuch: tooLong(seconds) }
  },

  async 'rolling restart'(cluster) {
    const startedAtMs = performance.now()
    for (const old of [...cluster.nodes]) {
      await cluster.add()
      await cluster.end(old, 'SIGTERM')
    }
    return { hit: [], figure: `all restarted in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s` }
  },
}

export async function runScenario(cluster: Cluster, name: string, clients: number): Promise<Report> {
  const fleet = new Fleet(cluster)
  fleet.start(clients)
  await wait(STEADY_MS)
  const { hit, figure, tooMuch } = await SCENARIOS[name]!(cluster, fleet)
  await wait(STEADY_MS / 2)
  await fleet.stop()
  const isClean = await cleanBooks(cluster)
  const urls = hit.map(({ url }) => url)
  return {
    scenario: name,
    sessions: fleet.outcomes.length,
    failed: fleet.failures.length,
    strayFailures: fleet.failures.filter(({ nodeUrl }) => !urls.includes(nodeUrl)).length,
    billedFailures: await countBilled(cluster, fleet.failures),
    reasons: [...new Set(fleet.failures.map(({ failure }) => failure!))],
    figure,
    tooMuch,
    isClean,
  }
}

/** What must never be so, in words. Sessions fail only on nodes that were struck. */
export function findProblems({
  scenario,
  strayFailures,
  billedFailures,
  tooMuch,
  isClean,
}: Report): string[] {
  const facts: readonly (readonly [boolean, string])[] = [
    [strayFailures > 0, `${strayFailures} sessions failed on nodes that were left alone`],
    [billedFailures > 0, `${billedFailures} failed sessions were billed`],
    [tooMuch !== undefined, tooMuch ?? ''],
    [!isClean, 'the ledger does not agree, or a slot is taken'],
  ]
  return facts.flatMap(([isSo, problem]) => (isSo ? [`${scenario}: ${problem}`] : []))
}

function tooLong(seconds: string): string | undefined {
  return Number(seconds) > LONGEST_SECONDS ? `${seconds} s is longer than ${LONGEST_SECONDS} s` : undefined
}

/**
 * By streams and by free slots. Nodes measure their capacity, and on a busy machine not all measure the same: then placement keeps
 * the free slots even, and the streams differ.
 */
function describePlacement(
  rounds: readonly (readonly { capacity: number; sessions: number }[])[],
): Pick<Report, 'figure' | 'tooMuch'> {
  const average = (read: (node: { capacity: number; sessions: number }) => number) =>
    rounds[0]!.map((_, index) => mean(rounds.map(nodes => read(nodes[index]!))))
  const streams = average(({ sessions }) => sessions)
  const capacity = average(node => node.capacity)
  const free = average(node => node.capacity - node.sessions)
  const worst = (values: readonly number[]) => Math.max(...values.map(one => Math.abs(one - mean(values))))
  const uneven = (100 * worst(free)) / mean(capacity)
  const percent = (value: number) => `${value.toFixed(1)} %`
  const list = (values: readonly number[]) => values.map(value => value.toFixed(1)).join(', ')
  const figure = `streams ${list(streams)} of ${list(capacity)}: at most ${percent((100 * worst(streams)) / mean(streams))} from their mean; free slots at most ${percent(uneven)} of a node from theirs`
  return { figure, tooMuch: uneven > MOST_UNEVEN_PERCENT ? `${percent(uneven)} from even` : undefined }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

async function loadsOf(cluster: Cluster): Promise<number[]> {
  const nodes = (await listNodes(cluster.database)).filter(({ state }) => state === 'ready')
  return nodes.map(({ sessions }) => sessions)
}

/** Seconds until no session of the node is open any more. */
async function untilReleased(cluster: Cluster, node: RunningNode, sinceMs: number): Promise<string> {
  for (;;) {
    const open = await cluster.database.query(
      `SELECT FROM sessions s WHERE status IN ('reserved', 'active') AND node_url = $1
         AND NOT EXISTS (SELECT FROM nodes n WHERE n.id = s.node_id AND n.state = 'ready') LIMIT 1`,
      [node.url],
    )
    const listed = (await listNodes(cluster.database)).some(
      ({ url, state }) => url === node.url && state === 'ready',
    )
    if (open.length === 0 && !listed) return ((performance.now() - sinceMs) / 1000).toFixed(1)
    await wait(100)
  }
}

async function untilReady(cluster: Cluster, nodes: number): Promise<void> {
  while ((await loadsOf(cluster)).length < nodes) await wait(200)
}

/** Ledger verify, and no slot without a session. Reservations that nobody opened need a minute to expire, so those are ended now. */
async function cleanBooks(cluster: Cluster): Promise<boolean> {
  const { database } = cluster
  const deadlineMs = performance.now() + SETTLE_PATIENCE_MS
  let leaked = 1
  while (leaked > 0 && performance.now() < deadlineMs) {
    await database.query(
      `SELECT end_session(id, 'reserved', 'expired', 'never_opened', 0, 0, now()) FROM sessions WHERE status = 'reserved'`,
    )
    leaked = (await loadsOf(cluster)).reduce((sum, load) => sum + load, 0)
    await wait(500)
  }
  const { discrepancies } = await verifyLedger(database)
  return leaked === 0 && discrepancies.length === 0
}

async function countBilled(cluster: Cluster, failures: readonly Outcome[]): Promise<number> {
  const rows = await cluster.database.query(
    'SELECT FROM sessions WHERE id = ANY($1::uuid[]) AND billable_ms > 0',
    [failures.map(({ sessionId }) => sessionId)],
  )
  return rows.length
}
