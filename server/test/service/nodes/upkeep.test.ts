import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setAccountActive } from '#server/accounts/accounts.js'
import { revokeKey } from '#server/accounts/keys.js'
import {
  expireReservations,
  expireStrandedReservations,
  failOrphans,
  failSessionsOfGoneNodes,
  forgetReplays,
} from '#server/ledger/expire.js'
import { settle } from '#server/ledger/settle.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { declareLostNodesDead, forgetGoneNodes, markGone } from '#server/nodes/registry.js'
import { endSessionsOfEarlierRuns, startUpkeep, type UpkeepParts } from '#server/nodes/upkeep.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { findSessionsToClose } from '#server/sessions/watch.js'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'
import { createHolder, mustReserve } from '../../support/database/ledger.ts'
import { registerTestNode, type TestNode } from '../../support/database/nodes.ts'

let test: OpenTestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.close())

const start = new Date('2030-01-01T00:00:00Z')
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)

async function reserveFor(creditMs = 60_000, node?: TestNode) {
  const holder = await createHolder(test.database, start, creditMs)
  const { sessionId } = await mustReserve(test.database, holder, start, node && { node })
  return { ...holder, sessionId }
}

async function openOn(nodeId: string) {
  const reserved = await reserveFor()
  await redeemSession(test.database, { sessionId: reserved.sessionId, nodeId, now: start })
  return reserved
}

/** A few at a time: a busy machine must not make the last one wait too long for a connection. */
async function reserveMany(count: number) {
  const reserved: Awaited<ReturnType<typeof reserveFor>>[] = []
  while (reserved.length < count) {
    const some = Array.from({ length: Math.min(10, count - reserved.length) }, () => reserveFor(1000))
    reserved.push(...(await Promise.all(some)))
  }
  return reserved
}

async function statusOf(sessionId: string): Promise<unknown> {
  const rows = await test.database.query('SELECT status, ending, billable_ms FROM sessions WHERE id = $1', [
    sessionId,
  ])
  return rows[0]
}

describe('the sweep', () => {
  it('expires reservations at their time, not before, and more than one batch of them', async () => {
    const reserved = await reserveMany(230)
    expect(await expireReservations(test.database, after(59.999))).toBe(0)
    expect(await expireReservations(test.database, after(60))).toBe(230)
    expect(await statusOf(reserved[0]!.sessionId)).toEqual({
      status: 'expired',
      ending: 'never_opened',
      billable_ms: 0,
    })
    expect(await expireReservations(test.database, after(61))).toBe(0)
  })

  it('of several nodes at the same moment ends each reservation once', async () => {
    await reserveMany(50)
    const sweeps = await Promise.all(
      Array.from({ length: 8 }, () => expireReservations(test.database, after(60))),
    )
    expect(sweeps.reduce((sum, count) => sum + count)).toBe(50)
  })

  it('fails the sessions of a node that went silent, for nothing, and leaves the others', async () => {
    const [dead, alive] = [await registerTestNode(test.database), await registerTestNode(test.database)]
    const lost = await openOn(dead.id)
    const kept = await openOn(alive.id)
    await ageHeartbeat(dead.id, 11)
    // Nodes of earlier tests may be old by now, too; they have no open sessions.
    const declared = await declareLostNodesDead(test.database, alive.id, 10_000)
    expect(declared).toContain(dead.id)
    expect(declared).not.toContain(alive.id)
    expect(await failSessionsOfGoneNodes(test.database, after(60))).toBe(1)
    expect(await statusOf(lost.sessionId)).toEqual({ status: 'failed', ending: 'node_died', billable_ms: 0 })
    expect(await statusOf(kept.sessionId)).toMatchObject({ status: 'active' })
    // The node was only slow after all: it learns that this stream must close.
    expect(await findSessionsToClose(test.database, [lost.sessionId, kept.sessionId])).toEqual([
      { sessionId: lost.sessionId, ending: 'internal_error' },
    ])
  })

  it('lets a node that was declared dead bill nothing, even where its session is not failed yet', async () => {
    const dead = await registerTestNode(test.database)
    const { sessionId } = await openOn(dead.id)
    await markGone(test.database, dead.id)
    const end = { sessionId, ending: 'client_closed', acceptedSamples: 32_000, now: after(5) } as const
    expect(await settle(test.database, end)).toMatchObject({ settled: false })
    expect(await statusOf(sessionId)).toEqual({ status: 'failed', ending: 'node_died', billable_ms: 0 })
    expect(await failSessionsOfGoneNodes(test.database, after(6))).toBe(0)
    expect((await verifyLedger(test.database)).discrepancies).toEqual([])
  })

  it('returns reservations that only a dead node could have opened, and keeps those that others can', async () => {
    // The nodes of other tests must not be chosen.
    await test.database.query(`UPDATE nodes SET state = 'gone'`)
    const own = await registerTestNode(test.database, { url: 'https://own.test' })
    const stranded = await reserveFor(60_000, own)
    await markGone(test.database, own.id)
    const sharing = await registerTestNode(test.database, { url: 'https://shared.test' })
    const open = await reserveFor(60_000, sharing)
    await markGone(test.database, sharing.id)
    const other = await registerTestNode(test.database, { url: 'https://shared.test' })
    await expireStrandedReservations(test.database, after(1))
    expect(await statusOf(stranded.sessionId)).toMatchObject({ status: 'expired' })
    expect(await statusOf(open.sessionId)).toMatchObject({ status: 'reserved' })
    const redeemed = await redeemSession(test.database, {
      sessionId: open.sessionId,
      nodeId: other.id,
      now: start,
    })
    expect(redeemed).toMatchObject({ sessionId: open.sessionId })
  })

  it('fails sessions whose node nobody knows', async () => {
    const node = await registerTestNode(test.database)
    const { sessionId } = await openOn(node.id)
    await test.database.query('DELETE FROM nodes WHERE id = $1', [node.id])
    expect(await failOrphans(test.database, after(1))).toBe(1)
    expect(await statusOf(sessionId)).toMatchObject({ status: 'failed', ending: 'node_died' })
  })

  it('forgets replays that are over, and nodes that are long gone and hold nothing', async () => {
    const { id } = await registerTestNode(test.database)
    await markGone(test.database, id)
    const holder = await createHolder(test.database, start, 60_000)
    const idempotency = { key: 'k', fingerprint: Buffer.from('f') }
    await mustReserve(test.database, holder, start, { idempotency })
    const count = async (sql: string, param: string) => (await test.database.query(sql, [param])).length
    const left = async () => ({
      keys: await count('SELECT FROM idempotency_keys WHERE account_id = $1', holder.accountId),
      nodes: await count('SELECT FROM nodes WHERE id = $1', id),
    })
    await forgetReplays(test.database, after(59.999))
    await forgetGoneNodes(test.database)
    expect(await left()).toEqual({ keys: 1, nodes: 1 })
    await ageHeartbeat(id, 3601)
    await forgetReplays(test.database, after(60))
    await forgetGoneNodes(test.database)
    expect(await left()).toEqual({ keys: 0, nodes: 0 })
  })
})

async function ageHeartbeat(nodeId: string, seconds: number): Promise<void> {
  await test.database.query(
    `UPDATE nodes SET heartbeat_at = heartbeat_at - $2 * interval '1 s' WHERE id = $1`,
    [nodeId, seconds],
  )
}

describe('a stream that is open', () => {
  it('must close when its account or its key is revoked, or its key has expired', async () => {
    const { id: nodeId } = await registerTestNode(test.database)
    const open = await Promise.all([openOn(nodeId), openOn(nodeId), openOn(nodeId), openOn(nodeId)])
    const [one, two, three] = open
    await setAccountActive(test.database, one.accountId, false)
    await revokeKey(test.database, two.apiKeyId, start)
    await test.database.query("UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1", [
      three.apiKeyId,
    ])
    const found = await findSessionsToClose(
      test.database,
      open.map(({ sessionId }) => sessionId),
    )
    expect(new Map(found.map(({ sessionId, ending }) => [sessionId, ending]))).toEqual(
      new Map([
        [one.sessionId, 'account_inactive'],
        [two.sessionId, 'key_revoked'],
        [three.sessionId, 'key_revoked'],
      ]),
    )
  })
})

describe('the upkeep of a node', () => {
  const settings = { heartbeatIntervalMs: 10, reaperIntervalMs: 10 }
  const quiet = { onDeclaredDead: () => undefined, onError: fail }

  it('beats, and sweeps', async () => {
    const reserved = await reserveFor()
    let beats = 0
    const node = {
      id: randomUUID(),
      mayJudge: true,
      lostAfterMs: 30_000,
      beatIfDue: async () => void beats++,
    }
    let now = after(1)
    const parts: UpkeepParts = { db: test.database, node, clock: () => now, settings, ...quiet }
    const upkeep = startUpkeep(parts)
    now = after(60)
    await expect.poll(() => statusOf(reserved.sessionId)).toMatchObject({ status: 'expired' })
    await expect.poll(() => beats).toBeGreaterThan(2)
    await upkeep.stop()
  })

  it('judges nobody while its own heartbeats have not arrived for long enough', async () => {
    const silent = await registerTestNode(test.database)
    const { sessionId } = await openOn(silent.id)
    await ageHeartbeat(silent.id, 60)
    const node = { id: randomUUID(), mayJudge: false, lostAfterMs: 10_000, beatIfDue: async () => undefined }
    const upkeep = startUpkeep({ db: test.database, node, clock: () => start, settings, ...quiet })
    await wait(200)
    expect(await statusOf(sessionId)).toMatchObject({ status: 'active' })
    node.mayJudge = true
    await expect.poll(() => statusOf(sessionId)).toMatchObject({ status: 'failed' })
    await upkeep.stop()
  })

  it('as the only node ends at once what an earlier process left open', async () => {
    const { id } = await registerTestNode(test.database)
    const left = await openOn(id)
    await endSessionsOfEarlierRuns(test.database, after(1))
    expect(await statusOf(left.sessionId)).toMatchObject({ status: 'failed', ending: 'node_died' })
  })

  it('goes on after an error, and stops when told', async () => {
    const errors: unknown[] = []
    let rounds = 0
    const db: UpkeepParts['db'] = {
      query: () => {
        rounds++
        return Promise.reject(new Error('away'))
      },
    }
    const node = { id: randomUUID(), mayJudge: true, lostAfterMs: 10_000, beatIfDue: async () => undefined }
    const upkeep = startUpkeep({
      db,
      node,
      clock: () => start,
      settings,
      onDeclaredDead: fail,
      onError: error => void errors.push(error),
    })
    await expect.poll(() => errors.length).toBeGreaterThan(2)
    await upkeep.stop()
    const atStop = rounds
    await wait(50)
    expect(rounds).toBe(atStop)
  })
})

function fail(error: unknown): never {
  throw error
}
