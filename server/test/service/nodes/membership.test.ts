// Membership of one node: heartbeat, fencing, losing the database, draining.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '#server/db/port.js'
import { type Loss, Membership } from '#server/nodes/membership.js'
import { declareLostNodesDead, listNodes, markGone } from '#server/nodes/registry.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'
import { createHolder, mustReserve } from '../../support/database/ledger.ts'

const settings = { heartbeatIntervalMs: 2000, nodeLostAfterMs: 10_000, databasePatienceMs: 45_000 }
const vitals = { models: ['svc-asr-kikuyu-v1'] as const, capacity: 7, openStreams: 3 }

let test: OpenTestDatabase
let nowMs: number
let isAway: boolean
let losses: Loss[]
let node: Membership

beforeEach(async () => {
  test = await openTestDatabase()
  nowMs = 1_000_000
  isAway = false
  losses = []
  const db: Pick<Database, 'query'> = {
    query: (sql, params) => (isAway ? Promise.reject(new Error('away')) : test.database.query(sql, params)),
  }
  node = new Membership({
    db,
    version: '1.2.3',
    settings,
    vitals: () => vitals,
    monotonicMs: () => nowMs,
    onLoss: loss => void losses.push(loss),
  })
})
afterEach(() => test.close())

const registered = async () => (await listNodes(test.database)).map(({ id, state }) => ({ id, state }))

describe('a node', () => {
  it('is listed with what it reported, from the moment that it joins', async () => {
    expect(node.isOpen).toBe(false)
    await node.join('https://one.test')
    expect(node.isOpen).toBe(true)
    expect(await listNodes(test.database)).toEqual([
      {
        id: node.id,
        version: '1.2.3',
        url: 'https://one.test',
        state: 'ready',
        ...vitals,
        endedLastMinute: 0,
        sessions: 0,
        startedAt: expect.any(Date),
        heartbeatAt: expect.any(Date),
        silentMs: expect.any(Number),
      },
    ])
  })

  it('uses the time of the database, however its own clock jumps', async () => {
    await node.join('https://one.test')
    const [{ at }] = (await test.database.query<{ at: Date }>('SELECT clock_timestamp() AS at')) as [
      { at: Date },
    ]
    expect(Math.abs(node.clock.now().getTime() - at.getTime())).toBeLessThan(5000)
    nowMs += 60_000
    expect(Math.abs(node.clock.now().getTime() - at.getTime() - 60_000)).toBeLessThan(5000)
    await node.beat()
    expect(Math.abs(node.clock.now().getTime() - at.getTime())).toBeLessThan(30_000)
  })

  it('that was paused and declared dead is fenced: it ends its streams and comes back under another id', async () => {
    await node.join('https://one.test')
    const before = node.id
    await markGone(test.database, before)
    nowMs += 30_000
    await node.confirm()
    expect(losses).toEqual(['fenced'])
    expect(node.id).not.toBe(before)
    expect(node.isOpen).toBe(true)
    expect(await registered()).toEqual([
      { id: node.id, state: 'ready' },
      { id: before, state: 'gone' },
    ])
  })

  it('that was declared dead opens no session under its old id, and the credential stays valid', async () => {
    await node.join('https://one.test')
    const holder = await createHolder(test.database, new Date(), 60_000)
    const { sessionId } = await mustReserve(test.database, holder, new Date())
    await markGone(test.database, node.id)
    const redeem = () => redeemSession(test.database, { sessionId, nodeId: node.id, now: new Date() })
    await expect(redeem()).rejects.toThrow('declared this one dead')
    await node.beat()
    expect(await redeem()).toMatchObject({ sessionId })
  })

  it('lets its streams run on during an outage of the database that is shorter than its limit', async () => {
    await node.join('https://one.test')
    isAway = true
    nowMs += 44_000
    await expect(node.beat()).rejects.toThrow('away')
    expect(losses).toEqual([])
    isAway = false
    await node.beat()
    expect([node.state, losses]).toEqual(['ready', []])
  })

  it('that is cut off for longer takes no sessions, ends its streams, and is back when the database is', async () => {
    await node.join('https://one.test')
    isAway = true
    nowMs += 45_000
    await expect(node.beat()).rejects.toThrow('away')
    expect([node.state, node.isOpen, losses]).toEqual(['cut_off', false, ['cut_off']])
    isAway = false
    await node.beat()
    expect([node.state, losses]).toEqual(['ready', ['cut_off']])
  })

  it('judges others only after its own heartbeats arrived for as long as they may be silent', async () => {
    await node.join('https://one.test')
    expect(node.mayJudge).toBe(false)
    for (let beats = 0; beats < 5; beats++) {
      nowMs += 2000
      await node.beat()
    }
    expect(node.mayJudge).toBe(true)
    isAway = true
    await expect(node.beat()).rejects.toThrow('away')
    isAway = false
    nowMs += 2000
    await node.beat()
    expect(node.mayJudge).toBe(false)
    nowMs += 10_000
    // It was paused itself, so the others may have been paused, too.
    await node.beat()
    expect(node.mayJudge).toBe(false)
  })

  it('never declares itself dead', async () => {
    await node.join('https://one.test')
    await test.database.query(`UPDATE nodes SET heartbeat_at = heartbeat_at - interval '1 hour'`)
    expect(await declareLostNodesDead(test.database, node.id, 10_000)).toEqual([])
  })

  it('drains and leaves', async () => {
    await node.join('https://one.test')
    await node.startDraining()
    expect(await registered()).toEqual([{ id: node.id, state: 'draining' }])
    await node.beat()
    expect(node.isOpen).toBe(false)
    await node.leave()
    expect(node.state).toBe('gone')
    expect(await registered()).toEqual([{ id: node.id, state: 'gone' }])
  })
})
