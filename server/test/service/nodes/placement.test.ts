// Where a session is placed, what happens when all nodes are full, and what a replayed answer says.

import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Tx } from '#server/db/port.js'
import type { Reservation } from '#server/ledger/reserve.js'
import { settle } from '#server/ledger/settle.js'
import { beat, listNodes, markDraining, markGone } from '#server/nodes/registry.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'
import { createHolder, type Holder, mustReserve, tryReserve } from '../../support/database/ledger.ts'
import { registerTestNode, type TestNode } from '../../support/database/nodes.ts'

let test: OpenTestDatabase
let holder: Holder
beforeEach(async () => {
  test = await openTestDatabase()
  holder = await createHolder(test.database, new Date(), 36_000_000, 10_000)
})
afterEach(() => test.close())

async function registerNodes(...capacities: number[]): Promise<TestNode[]> {
  const nodes: TestNode[] = []
  for (const [index, capacity] of capacities.entries())
    nodes.push(await registerTestNode(test.database, { capacity, url: `https://node-${index}.test` }))
  return nodes
}

const order = (node: TestNode, more: object = {}) => ({ node, requestedMs: 1000, ...more })
const place = (node: TestNode): Promise<Reservation> =>
  mustReserve(test.database, holder, new Date(), order(node))
const tryPlace = (node: TestNode) => tryReserve(test.database, holder, new Date(), order(node))
/** The placement that is made while a transaction holds a lock on the node, changes it and then commits. */
async function whileHeld(held: TestNode, work: (tx: Tx) => Promise<void>): Promise<Reservation> {
  const other = await createHolder(test.database, new Date(), 10_000)
  const asked = { ...held, id: randomUUID(), capacity: 0 }
  const placing = await test.database.transaction(async tx => {
    await tx.query('SELECT FROM nodes WHERE id = $1 FOR NO KEY UPDATE', [held.id])
    const started = { placed: mustReserve(test.database, other, new Date(), order(asked)) }
    // A placement that does not wait fails the test below instead of blocking it here.
    const isPlaced = started.placed.then(() => true)
    while (!(await Promise.race([isPlaced, somebodyWaits()])));
    await work(tx)
    return started
  })
  return placing.placed
}
async function somebodyWaits(): Promise<boolean> {
  const waiting = await test.database.query(
    `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  )
  return waiting.length > 0
}
/** Opens a stream with this reservation at this time. */
async function speak(node: TestNode, requestedMs: number, now: Date): Promise<void> {
  const { sessionId } = await mustReserve(test.database, holder, now, { node, requestedMs })
  await redeemSession(test.database, { sessionId, nodeId: node.id, now })
}
const loads = async () => (await listNodes(test.database)).map(({ sessions }) => sessions)

describe('a session is placed', () => {
  it('on the node with the most room, whichever node was asked', async () => {
    const [small, large] = await registerNodes(2, 5)
    const urls = [await place(small!), await place(small!), await place(large!)].map(one => one.nodeUrl)
    expect(urls).toEqual(Array(3).fill('https://node-1.test'))
  })

  it('evenly, even when all are created at the same moment', async () => {
    const nodes = await registerNodes(100, 100, 100)
    // One account's creations would wait for each other; many accounts do not.
    const holders = await Promise.all(
      Array.from({ length: 90 }, () => createHolder(test.database, new Date(), 10_000)),
    )
    await Promise.all(
      holders.map((one, index) => mustReserve(test.database, one, new Date(), order(nodes[index % 3]!))),
    )
    for (const load of await loads()) expect(Math.abs(load - 30)).toBeLessThanOrEqual(3)
    for (let more = 0; more < 30; more += 1) {
      const one = await createHolder(test.database, new Date(), 10_000)
      await mustReserve(test.database, one, new Date(), order(nodes[more % 3]!))
    }
    expect(await loads()).toEqual([40, 40, 40])
  })

  it('on the node with the most room, even where another creation holds that one at the moment', async () => {
    const [, large] = await registerNodes(5, 10)
    const placed = await whileHeld(large!, () => Promise.resolve())
    expect(placed.nodeUrl).toBe('https://node-1.test')
  })

  it('elsewhere, when others took the room that it waited for', async () => {
    const [, large] = await registerNodes(5, 10)
    const placed = await whileHeld(large!, async tx => {
      await tx.query('UPDATE nodes SET capacity = 2 WHERE id = $1', [large!.id])
    })
    expect(placed.nodeUrl).toBe('https://node-0.test')
  })

  it('never beyond the capacity of a node, however many are created at the same moment', async () => {
    const nodes = await registerNodes(7, 7, 7)
    const holders = await Promise.all(
      Array.from({ length: 60 }, () => createHolder(test.database, new Date(), 10_000)),
    )
    const results = await Promise.all(
      holders.map((one, index) => tryReserve(test.database, one, new Date(), order(nodes[index % 3]!))),
    )
    const outcomes = results.map(({ outcome }) => outcome)
    expect(outcomes.filter(outcome => outcome === 'reserved')).toHaveLength(21)
    expect(outcomes.filter(outcome => outcome === 'capacity_exceeded')).toHaveLength(39)
    expect(await loads()).toEqual([7, 7, 7])
  })

  it('evenly over more nodes than are looked at for one session', async () => {
    const nodes = await registerNodes(...Array(24).fill(10))
    const count = 120
    for (let index = 0; index < count; index++) await place(nodes[index % 24]!)
    const spread = await loads()
    expect(Math.max(...spread) - Math.min(...spread)).toBeLessThanOrEqual(3)
  })

  it('not on a node that drains, is gone, is silent or lacks the model', async () => {
    const [asked, draining, gone, silent, lacking] = await registerNodes(1, 50, 50, 50, 50)
    await markDraining(test.database, draining!.id)
    await markGone(test.database, gone!.id)
    await test.database.query(
      `UPDATE nodes SET heartbeat_at = heartbeat_at - interval '11 s' WHERE id = $1`,
      [silent!.id],
    )
    await beat(test.database, lacking!.id, {
      models: ['svc-asr-dholuo-v1'],
      capacity: 50,
      openStreams: 0,
      endedLastMinute: 0,
    })
    expect((await place(asked!)).nodeUrl).toBe('https://node-0.test')
    expect(await tryPlace(asked!)).toMatchObject({ outcome: 'capacity_exceeded' })
  })

  it('by the capacity that the asked node has now, not by what it last reported', async () => {
    const [node] = await registerNodes(10)
    expect(await tryPlace({ ...node!, capacity: 0 })).toMatchObject({ outcome: 'engine_unavailable' })
    expect(await tryPlace({ ...node!, isOpen: false })).toMatchObject({ outcome: 'node_closed' })
    expect(await tryPlace(node!)).toMatchObject({ outcome: 'reserved' })
  })
})

describe('a slot', () => {
  it('returns when the session ends, and when a reservation expires', async () => {
    const [node] = await registerNodes(2)
    const { sessionId } = await place(node!)
    const created = new Date()
    await mustReserve(test.database, holder, created, order(node!, { expiresAt: created }))
    await redeemSession(test.database, { sessionId, nodeId: node!.id, now: new Date() })
    const second = await tryReserve(test.database, holder, new Date(created.getTime() + 1), order(node!))
    expect(second.outcome).toBe('reserved')
    expect((await tryPlace(node!)).outcome).toBe('capacity_exceeded')
    const end = { sessionId, ending: 'client_closed', acceptedSamples: 0, now: new Date() } as const
    await settle(test.database, end)
    expect((await tryPlace(node!)).outcome).toBe('reserved')
  })

  it('moves with the session when another node opens it', async () => {
    const [asked, other] = await registerNodes(2, 1)
    const { sessionId } = await place(asked!)
    expect(await loads()).toEqual([1, 0])
    await redeemSession(test.database, { sessionId, nodeId: other!.id, now: new Date() })
    expect(await loads()).toEqual([0, 1])
  })
})

describe('when all nodes are full', () => {
  it('the refusal says when the next reservation expires', async () => {
    const [node] = await registerNodes(1)
    const { expiresAt } = await place(node!)
    expect(await tryPlace(node!)).toEqual(expect.objectContaining({ slotFreeAt: expiresAt }))
  })

  it('it goes by how often sessions have ended lately, where that is sooner', async () => {
    const [node] = await registerNodes(1)
    await place(node!)
    const vitals = { models: ['svc-asr-kikuyu-v1'] as const, capacity: 1, openStreams: 1 }
    await beat(test.database, node!.id, { ...vitals, endedLastMinute: 12 })
    const now = new Date()
    const refusal = await tryReserve(test.database, holder, now, order(node!))
    expect(refusal).toMatchObject({ slotFreeAt: new Date(now.getTime() + 5000) })
  })

  it('and only streams run, it says when the first has used all that is reserved for it', async () => {
    const [node] = await registerNodes(2)
    const now = new Date()
    for (const requestedMs of [90_000, 20_000]) await speak(node!, requestedMs, now)
    const refusal = await tryReserve(test.database, holder, now, order(node!))
    expect(refusal).toMatchObject({ slotFreeAt: new Date(now.getTime() + 20_000) })
  })

  it('and fewer are admitted than are open, it says when enough of them have ended', async () => {
    const [node] = await registerNodes(4)
    const now = new Date()
    for (const requestedMs of [50_000, 20_000, 40_000, 30_000]) await speak(node!, requestedMs, now)
    const slower = { ...order(node!), node: { ...node!, capacity: 2 } }
    const refusal = await tryReserve(test.database, holder, now, slower)
    expect(refusal).toMatchObject({ slotFreeAt: new Date(now.getTime() + 40_000) })
    const vitals = { models: ['svc-asr-kikuyu-v1'] as const, capacity: 2, openStreams: 4 }
    await beat(test.database, node!.id, { ...vitals, endedLastMinute: 12 })
    const paced = await tryReserve(test.database, holder, now, slower)
    expect(paced).toMatchObject({ slotFreeAt: new Date(now.getTime() + 15_000) })
  })

  it('and a stream is past what it could have spoken in that time, it does not pretend to know', async () => {
    const [node] = await registerNodes(1)
    await speak(node!, 1000, new Date(Date.now() - 5000))
    expect(await tryPlace(node!)).toMatchObject({ outcome: 'capacity_exceeded', slotFreeAt: null })
  })
})

describe('a replay', () => {
  it('answers with the address of the first answer, whichever node it meets', async () => {
    const [first, second] = await registerNodes(10, 5)
    const idempotency = { key: 'again', fingerprint: Buffer.from('same') }
    const original = await mustReserve(test.database, holder, new Date(), order(first!, { idempotency }))
    await markGone(test.database, first!.id)
    const replay = await mustReserve(test.database, holder, new Date(), order(second!, { idempotency }))
    expect(replay).toEqual({ ...original, outcome: 'replayed' })
    expect(replay.nodeUrl).toBe('https://node-0.test')
  })
})
