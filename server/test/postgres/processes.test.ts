// Three nodes on one PostgreSQL, each a process of its own: placement, a node that is killed, one that is paused, and clocks that differ.

import { Agent } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AsrSession } from '@sauti/protocol/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { revokeKey } from '#server/accounts/keys.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { listNodes } from '#server/nodes/registry.js'
import { Cluster, type ClusterNode } from '../support/service/cluster.ts'
import { type Customer, createCustomer } from '../support/service/customer.ts'
import { ask } from '../support/service/https.ts'
import type { StreamClient } from '../support/streams/stream-client.ts'

const SECOND = 16_000
const SLOTS = 4
const env = {
  SAUTI_MAX_STREAMS: String(SLOTS),
  SAUTI_HEARTBEAT_SECONDS: '0.3',
  SAUTI_NODE_LOST_SECONDS: '2',
  SAUTI_REAPER_INTERVAL_SECONDS: '0.2',
}
/** Five minutes behind everybody else: without the database's time its sessions would be over before they begin. */
const SLOW_CLOCK = fileURLToPath(new URL('../support/faults/slow-clock.mjs', import.meta.url))

describe('three nodes', () => {
  let cluster: Cluster
  let account: Customer

  beforeAll(async () => {
    cluster = await Cluster.start(2, { env })
    await cluster.add({ NODE_OPTIONS: `--import=${SLOW_CLOCK}` })
  })
  afterAll(() => cluster.stop())

  async function newAccount(): Promise<Customer> {
    return createCustomer(cluster.database, new Date(), { creditMs: 600_000, concurrency: 100 })
  }

  async function create(node: ClusterNode, key?: string): Promise<{ status: number; body: string }> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${account.key}`,
      'content-type': 'application/json',
    }
    if (key) headers['idempotency-key'] = key
    const { status, body } = await ask(`${node.url}/v1/asr/sessions`, {
      agent: new Agent({ ca: node.process.ca, keepAlive: false }),
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'svc-asr-kikuyu-v1', max_audio_seconds: 10 }),
    })
    return { status, body }
  }

  /** One stream on each node, each with a second of audio taken. */
  async function openOnEach(): Promise<Map<ClusterNode, { client: StreamClient; sessionId: string }>> {
    const streams = new Map<ClusterNode, { client: StreamClient; sessionId: string }>()
    for (const asked of cluster.nodes) {
      const session = JSON.parse((await create(asked)).body) as AsrSession
      const client = await cluster.open(session)
      client.silence(SECOND)
      await client.arrived()
      streams.set(await cluster.nodeOf(session), { client, sessionId: session.id })
    }
    expect(streams.size).toBe(cluster.nodes.length)
    return streams
  }

  async function outcomeOf(sessionId: string): Promise<unknown> {
    const [row] = await cluster.database.query('SELECT status, billable_ms FROM sessions WHERE id = $1', [
      sessionId,
    ])
    return row
  }

  async function expectCleanBooks(): Promise<void> {
    expect((await verifyLedger(cluster.database)).discrepancies).toEqual([])
    const living = (await listNodes(cluster.database)).filter(({ state }) => state !== 'gone')
    expect(living.map(({ sessions }) => sessions)).toEqual(living.map(() => 0))
  }

  it('share sessions evenly, refuse when all are full, and answer a replay alike', async () => {
    account = await newAccount()
    const sessions: AsrSession[] = []
    for (let index = 0; index < 3 * SLOTS; index++) {
      const { status, body } = await create(cluster.nodes[index % 3]!, `order-${index}`)
      expect(status).toBe(201)
      for (const other of cluster.nodes) expect((await create(other, `order-${index}`)).body).toBe(body)
      sessions.push(JSON.parse(body) as AsrSession)
    }
    const placed = await Promise.all(sessions.map(session => cluster.nodeOf(session)))
    for (const node of cluster.nodes) expect(placed.filter(one => one === node)).toHaveLength(SLOTS)
    const refused = await create(cluster.nodes[0]!)
    expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([503, 'capacity_exceeded'])
    const clients = await Promise.all(sessions.map(session => cluster.open(session)))
    await Promise.all(clients.map(client => client.close()))
    await expectCleanBooks()
  })

  it('fail the sessions of one that is paused; when it goes on it is fenced and serves again', async () => {
    account = await newAccount()
    const streams = await openOnEach()
    const paused = cluster.nodes[1]!
    paused.process.child.kill('SIGSTOP')
    const { client, sessionId } = streams.get(paused)!
    await expect
      .poll(() => outcomeOf(sessionId), { timeout: 15_000 })
      .toEqual({ status: 'failed', billable_ms: 0 })
    paused.process.child.kill('SIGCONT')
    expect(await client.closed).toEqual({ code: 1011, reason: 'internal_error' })
    for (const [node, { client: other, sessionId: id }] of streams) {
      if (node === paused) continue
      await other.close()
      await expect.poll(() => outcomeOf(id)).toEqual({ status: 'completed', billable_ms: 1000 })
    }
    expect(await outcomeOf(sessionId)).toEqual({ status: 'failed', billable_ms: 0 })
    await expect
      .poll(async () => (await listNodes(cluster.database)).filter(({ state }) => state === 'ready').length)
      .toBe(3)
    const again = await openOnEach()
    for (const one of again.values()) await one.client.close()
    await expectCleanBooks()
  })

  it('close the streams of a revoked key within 5 s, wherever they run', async () => {
    account = await newAccount()
    const streams = await openOnEach()
    const revokedAtMs = performance.now()
    await revokeKey(cluster.database, account.keyId, new Date())
    for (const { client } of streams.values())
      expect(await client.closed).toEqual({ code: 4403, reason: 'key_revoked' })
    expect(performance.now() - revokedAtMs).toBeLessThan(5000)
    await expectCleanBooks()
  })

  it('count the rate of an account together', async () => {
    account = await newAccount()
    const limited = await cluster.add({ SAUTI_USAGE_READS_PER_MINUTE: '20' })
    for (let reads = 0; reads < 19; reads++) await cluster.nodes[0]!.door.usage(account)
    expect(await limited.door.http('GET', '/v1/usage', account.key)).toMatchObject({ status: 200 })
    // Nodes exchange their counts once per second.
    await expect
      .poll(async () => (await limited.door.http('GET', '/v1/usage', account.key)).status, { interval: 1500 })
      .toBe(429)
    await limited.process.end('SIGTERM')
    cluster.drop(limited)
  })

  it('are all restarted under load without one failed session', async () => {
    account = await newAccount()
    const load = startLoad(() => cluster.nodes[Math.floor(Math.random() * cluster.nodes.length)]!)
    for (const old of [...cluster.nodes]) {
      await cluster.add()
      cluster.drop(old)
      expect(await old.process.end('SIGTERM')).toBe(0)
    }
    await load.stop()
    expect(load.failures).toEqual([])
    expect(load.completed()).toBeGreaterThan(10)
    const endings = await cluster.database.query(
      'SELECT DISTINCT ending, billable_ms FROM sessions WHERE account_id = $1',
      [account.accountId],
    )
    expect(endings).toEqual([{ ending: 'client_closed', billable_ms: 1000 }])
    await expectCleanBooks()
  }, 120_000)

  /** Clients that come and go: each creates a session, speaks for a moment and leaves. A node that drains is asked only once. */
  function startLoad(choose: () => ClusterNode) {
    const failures: unknown[] = []
    let completed = 0
    let isRunning = true
    async function speakOnce(): Promise<void> {
      const created = await create(choose()).catch(() => undefined)
      // As a load balancer does: the next attempt meets another node.
      if (created?.status !== 201) return
      const client = await cluster.open(JSON.parse(created.body) as AsrSession)
      client.silence(SECOND / 2)
      await wait(300)
      client.flush()
      await client.next('final')
      await client.close()
      completed++
    }
    const working = Array.from({ length: 4 }, async () => {
      while (isRunning) await speakOnce().catch(error => void failures.push(error))
    })
    return {
      failures,
      completed: () => completed,
      async stop() {
        isRunning = false
        await Promise.all(working)
      },
    }
  }

  it('fail exactly the sessions of one that is killed, unbilled, within 15 s, and take over its place', async () => {
    account = await newAccount()
    const streams = await openOnEach()
    const killed = cluster.nodes[0]!
    const { client, sessionId } = streams.get(killed)!
    await killed.process.end('SIGKILL')
    cluster.drop(killed)
    expect(await client.closed).toMatchObject({ code: 1006 })
    await expect
      .poll(() => outcomeOf(sessionId), { timeout: 15_000 })
      .toEqual({ status: 'failed', billable_ms: 0 })
    for (const [node, { client: other, sessionId: id }] of streams) {
      if (node === killed) continue
      await other.close()
      await expect.poll(() => outcomeOf(id)).toEqual({ status: 'completed', billable_ms: 1000 })
    }
    const again = await openOnEach()
    for (const one of again.values()) await one.client.close()
    await expectCleanBooks()
  })
})
