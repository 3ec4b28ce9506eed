import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setAccountActive } from '#server/accounts/accounts.js'
import { revokeKey } from '#server/accounts/keys.js'
import { expireReservations, failSessionsOfDeadNodes, forgetExpired } from '#server/ledger/expire.js'
import { startUpkeep, type UpkeepParts } from '#server/ledger/upkeep.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { beat, findSessionsToClose } from '#server/sessions/watch.js'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database.ts'
import { createHolder, mustReserve } from '../../support/ledger.ts'

let test: OpenTestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.close())

const start = new Date('2030-01-01T00:00:00Z')
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)

async function reserveFor(creditMs = 60_000) {
  const holder = await createHolder(test.database, start, creditMs)
  const { sessionId } = await mustReserve(test.database, holder, start)
  return { ...holder, sessionId }
}

async function openOn(nodeId: string) {
  const reserved = await reserveFor()
  await redeemSession(test.database, { sessionId: reserved.sessionId, nodeId, now: start })
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
    const reserved = await Promise.all(Array.from({ length: 230 }, () => reserveFor(1000)))
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
    await Promise.all(Array.from({ length: 50 }, () => reserveFor(1000)))
    const sweeps = await Promise.all(
      Array.from({ length: 8 }, () => expireReservations(test.database, after(60))),
    )
    expect(sweeps.reduce((sum, count) => sum + count)).toBe(50)
  })

  it('fails the sessions of a node that went silent, for nothing, and leaves the others', async () => {
    const [dead, alive] = [randomUUID(), randomUUID()]
    await beat(test.database, dead, start)
    await beat(test.database, alive, start)
    const lost = await openOn(dead)
    const kept = await openOn(alive)
    await beat(test.database, alive, after(40))
    expect(await failSessionsOfDeadNodes(test.database, after(30), after(60))).toBe(1)
    expect(await statusOf(lost.sessionId)).toEqual({ status: 'failed', ending: 'node_died', billable_ms: 0 })
    expect(await statusOf(kept.sessionId)).toMatchObject({ status: 'active' })
    // The node was only slow after all: it learns that this stream must close.
    expect(await findSessionsToClose(test.database, [lost.sessionId, kept.sessionId])).toEqual([
      { sessionId: lost.sessionId, ending: 'internal_error' },
    ])
  })

  it('forgets replays that are over and nodes that hold nothing', async () => {
    const nodeId = randomUUID()
    await beat(test.database, nodeId, start)
    const holder = await createHolder(test.database, start, 60_000)
    const idempotency = { key: 'k', fingerprint: Buffer.from('f') }
    await mustReserve(test.database, holder, start, { idempotency })
    const left = async () => ({
      keys: (
        await test.database.query('SELECT FROM idempotency_keys WHERE account_id = $1', [holder.accountId])
      ).length,
      nodes: (await test.database.query('SELECT FROM nodes WHERE id = $1', [nodeId])).length,
    })
    await forgetExpired(test.database, start, after(59.999))
    expect(await left()).toEqual({ keys: 1, nodes: 1 })
    await forgetExpired(test.database, after(1), after(60))
    expect(await left()).toEqual({ keys: 0, nodes: 0 })
  })
})

describe('a stream that is open', () => {
  it('must close when its account or its key is revoked', async () => {
    const nodeId = randomUUID()
    const [one, two, three] = await Promise.all([openOn(nodeId), openOn(nodeId), openOn(nodeId)])
    await setAccountActive(test.database, one.accountId, false)
    await revokeKey(test.database, two.apiKeyId, start)
    const found = await findSessionsToClose(test.database, [one.sessionId, two.sessionId, three.sessionId])
    expect(new Map(found.map(({ sessionId, ending }) => [sessionId, ending]))).toEqual(
      new Map([
        [one.sessionId, 'account_inactive'],
        [two.sessionId, 'key_revoked'],
      ]),
    )
  })
})

describe('the clockwork of a node', () => {
  const settings = { heartbeatIntervalMs: 10, reaperIntervalMs: 10, nodeLostAfterMs: 30_000 }

  it('beats, sweeps, and as the only node ends at once what a former life left open', async () => {
    const left = await openOn(randomUUID())
    const reserved = await reserveFor()
    const nodeId = randomUUID()
    let now = after(1)
    const parts: UpkeepParts = {
      db: test.database,
      nodeId,
      clock: () => now,
      settings,
      isOnlyNode: true,
      onError: error => {
        throw error
      },
    }
    const upkeep = await startUpkeep(parts)
    expect(await statusOf(left.sessionId)).toMatchObject({ status: 'failed', ending: 'node_died' })
    now = after(60)
    await expect.poll(() => statusOf(reserved.sessionId)).toMatchObject({ status: 'expired' })
    await expect
      .poll(() => test.database.query('SELECT heartbeat_at FROM nodes WHERE id = $1', [nodeId]))
      .toEqual([{ heartbeat_at: now }])
    await upkeep.stop()
  })

  it('goes on after an error, and stops when told', async () => {
    const errors: unknown[] = []
    let fails = false
    let rounds = 0
    const db: UpkeepParts['db'] = {
      query: (sql, params) => {
        rounds++
        return fails ? Promise.reject(new Error('away')) : test.database.query(sql, params)
      },
    }
    const upkeep = await startUpkeep({
      db,
      nodeId: randomUUID(),
      clock: () => start,
      settings,
      isOnlyNode: false,
      onError: error => void errors.push(error),
    })
    fails = true
    await expect.poll(() => errors.length).toBeGreaterThan(2)
    await upkeep.stop()
    const atStop = rounds
    await wait(50)
    expect(rounds).toBe(atStop)
  })
})
