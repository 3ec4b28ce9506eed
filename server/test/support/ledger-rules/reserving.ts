// Rules of a reservation: what it takes, and in which order it is refused.

import { expect } from 'vitest'
import { redeemSession } from '#server/sessions/redeem.js'
import { createHolder } from '../database/ledger.ts'
import { anIdempotencyKey, at, Books, NOW, type Rule } from './books.ts'

export const RESERVING: readonly Rule[] = [
  [
    'a reservation moves credit from available to reserved, and is written down',
    async db => {
      const books = await Books.open(db, 100_000)
      const answer = await books.reserve({ requestedMs: 60_000, expiresAt: at(60_000) })
      expect(answer).toMatchObject({
        outcome: 'reserved',
        reservedMs: 60_000,
        remainingMs: 40_000,
        expiresAt: at(60_000),
        nodeUrl: 'https://one.test',
      })
      expect(await books.balance()).toEqual([100_000, 40_000, 60_000, 0])
      expect(await books.entries(answer.sessionId)).toEqual([['reserve', -60_000, 60_000, 0]])
      const [row] = await db.query(
        'SELECT status, model, api_key_id, node_id, node_url, created_at, expires_at FROM sessions WHERE id = $1',
        [answer.sessionId],
      )
      expect(row).toEqual({
        status: 'reserved',
        model: 'svc-asr-kikuyu-v1',
        api_key_id: books.holder.apiKeyId,
        node_id: books.node.id,
        node_url: 'https://one.test',
        created_at: NOW,
        expires_at: at(60_000),
      })
      await books.agree()
    },
  ],
  [
    'a reservation takes whole seconds, at least one, and at most what there is',
    async db => {
      const some = await Books.open(db, 5_999)
      expect(await some.reserve({ requestedMs: 60_000 })).toMatchObject({
        reservedMs: 5_000,
        remainingMs: 999,
      })
      expect((await some.refusal()).outcome).toBe('insufficient_credits')
      const one = await Books.open(db, 1_000)
      expect(await one.reserve()).toMatchObject({ reservedMs: 1_000, remainingMs: 0 })
    },
  ],
  [
    'an account that is not active or not there is refused first',
    async db => {
      const books = await Books.open(db, 0, { limit: 1 })
      await db.query('UPDATE accounts SET active = false WHERE id = $1', [books.holder.accountId])
      expect((await books.refusal({ withinRate: false })).outcome).toBe('account_inactive')
      const accountId = '00000000-0000-4000-8000-00000000dead'
      expect((await books.refusal({ accountId })).outcome).toBe('account_inactive')
    },
  ],
  [
    'an equal request with its key is answered alike until its time is over, before its rate counts',
    async db => {
      const books = await Books.open(db, 100_000)
      const idempotency = anIdempotencyKey('a')
      const first = await books.reserve({ idempotency, requestedMs: 7_000, expiresAt: at(60_000) })
      const again = await books.reserve({ idempotency, withinRate: false }, at(59_999))
      expect(again).toEqual({ ...first, outcome: 'replayed' })
      const other = { ...idempotency, fingerprint: Buffer.from('b') }
      expect((await books.refusal({ idempotency: other })).outcome).toBe('idempotency_conflict')
      expect(await books.balance()).toEqual([100_000, 93_000, 7_000, 0])
      const second = await books.reserve(
        { idempotency: other, requestedMs: 9_000, expiresAt: at(120_000) },
        at(60_000),
      )
      expect(second).toMatchObject({ outcome: 'reserved', remainingMs: 91_000 })
      expect(await books.reserve({ idempotency: other }, at(119_999))).toEqual({
        ...second,
        outcome: 'replayed',
      })
      await books.agree()
    },
  ],
  [
    'a key is of its account alone',
    async db => {
      const idempotency = anIdempotencyKey('a')
      const one = await Books.open(db, 100_000)
      await one.reserve({ idempotency })
      const other = await Books.open(db, 100_000)
      expect((await other.reserve({ idempotency })).outcome).toBe('reserved')
      expect((await other.reserve({ idempotency: anIdempotencyKey('a'), requestedMs: 1_000 })).outcome).toBe(
        'reserved',
      )
    },
  ],
  [
    'a request beyond its rate is refused before sessions are counted',
    async db => {
      const books = await Books.open(db, 100_000, { limit: 1 })
      await books.reserve({ requestedMs: 1_000 })
      expect((await books.refusal({ withinRate: false })).outcome).toBe('request_rate_exceeded')
    },
  ],
  [
    'open sessions are counted up to the limit, and the refusal says when the next is over',
    async db => {
      const other = await Books.open(db, 100_000)
      await other.reserve({ expiresAt: at(1) })
      const books = await Books.open(db, 100_000, { limit: 2 })
      const { sessionId } = await books.reserve({ requestedMs: 1_000, expiresAt: at(20_000) })
      await books.reserve({ requestedMs: 1_000, expiresAt: at(30_000) })
      const refused = { outcome: 'concurrency_limit_exceeded', slotFreeAt: at(20_000) }
      expect(await books.refusal({ node: { ...books.node, isOpen: false } })).toMatchObject(refused)
      await redeemSession(db, { sessionId, nodeId: books.node.id, now: NOW })
      expect(await books.refusal()).toMatchObject({ ...refused, slotFreeAt: at(30_000) })
    },
  ],
  [
    'a reservation that is over frees its slot and credit with the next request, an open session does not',
    async db => {
      const books = await Books.open(db, 10_000, { limit: 1 })
      const { sessionId } = await books.reserve({ requestedMs: 10_000, expiresAt: at(60_000) })
      expect((await books.refusal({}, at(59_999))).outcome).toBe('concurrency_limit_exceeded')
      const next = await books.reserve({ requestedMs: 10_000, expiresAt: at(120_000) }, at(60_000))
      expect(next).toMatchObject({ reservedMs: 10_000, remainingMs: 0 })
      expect(await books.session(sessionId)).toEqual({
        status: 'expired',
        ending: 'never_opened',
        reserved_ms: 10_000,
        audio_ms: 0,
        billable_ms: 0,
        completed_at: at(60_000),
      })
      await redeemSession(db, { sessionId: next.sessionId, nodeId: books.node.id, now: at(60_001) })
      expect((await books.refusal({}, at(900_000))).outcome).toBe('concurrency_limit_exceeded')
      await books.agree()
    },
  ],
  [
    'a node that is closed or full takes nothing; what is over holds no place on it',
    async db => {
      const poor = await Books.open(db, 0)
      const closed = { ...poor.node, isOpen: false }
      expect((await poor.refusal({ node: closed })).outcome).toBe('insufficient_credits')
      const books = await Books.open(db, 100_000, { capacity: 1 })
      expect((await books.refusal({ node: { ...books.node, isOpen: false } })).outcome).toBe('node_closed')
      const { sessionId } = await books.reserve({ requestedMs: 1_000, expiresAt: at(60_000) })
      expect((await books.refusal({}, at(59_999))).outcome).toBe('capacity_exceeded')
      const next = await books.reserve({ requestedMs: 1_000, expiresAt: at(70_000) }, at(60_000))
      expect(next.sessionId).not.toBe(sessionId)
      await redeemSession(db, { sessionId: next.sessionId, nodeId: books.node.id, now: at(60_001) })
      expect((await books.refusal({}, at(900_000))).outcome).toBe('capacity_exceeded')
      await books.end(next.sessionId, 0)
      expect((await books.reserve({ requestedMs: 1_000 }, at(900_000))).outcome).toBe('reserved')
    },
  ],
  [
    'another account’s reservation that is over holds no place, before anybody swept it',
    async db => {
      const one = await Books.open(db, 100_000, { capacity: 1 })
      await one.reserve({ expiresAt: at(60_000) })
      const holder = await createHolder(db, NOW, 100_000)
      expect((await one.refusal({ ...holder }, at(59_999))).outcome).toBe('capacity_exceeded')
      expect((await one.refusal({ ...holder, expiresAt: at(90_000) }, at(60_000))).outcome).toBe('reserved')
    },
  ],
]
