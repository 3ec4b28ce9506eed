// Rules of the end of a session, of more credit for an open one, and of what the database itself refuses.

import { expect } from 'vitest'
import type { Database } from '#server/db/port.js'
import { extendReservation } from '#server/ledger/extend.js'
import { markGone } from '#server/nodes/registry.js'
import { at, Books, NOW, type Rule, SECOND } from './books.ts'

const extend = (db: Database, sessionId: string, requestedMs: number) =>
  extendReservation(db, { sessionId, requestedMs, now: NOW })

async function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'accepted',
    (error: Error) => error.message,
  )
}

export const SETTLING: readonly Rule[] = [
  [
    'a settled session pays for what it used, and the rest returns',
    async db => {
      const books = await Books.open(db, 100_000)
      const sessionId = await books.openSession(60_000)
      expect(await books.end(sessionId, 1.5 * SECOND)).toBe(true)
      expect(await books.session(sessionId)).toEqual({
        status: 'completed',
        ending: 'client_closed',
        reserved_ms: 60_000,
        audio_ms: 1_500,
        billable_ms: 2_000,
        completed_at: at(5_000),
      })
      expect(await books.balance()).toEqual([100_000, 98_000, 0, 2_000])
      expect(await books.entries(sessionId)).toEqual([
        ['reserve', -60_000, 60_000, 0],
        ['settle', 58_000, -60_000, 2_000],
      ])
      await books.agree()
    },
  ],
  [
    'a session that used nothing, or failed by our fault, is released',
    async db => {
      const books = await Books.open(db, 100_000)
      const silent = await books.openSession(10_000)
      const failed = await books.openSession(10_000)
      expect(await books.end(silent, 0)).toBe(true)
      expect(await books.end(failed, 5 * SECOND, 'internal_error')).toBe(true)
      for (const sessionId of [silent, failed])
        expect((await books.entries(sessionId)).at(-1)).toEqual(['release', 10_000, -10_000, 0])
      expect(await books.session(failed)).toMatchObject({ status: 'failed', audio_ms: 5_000, billable_ms: 0 })
      await books.agree()
    },
  ],
  [
    'a session is settled once, after it was opened, and for no more than it reserved',
    async db => {
      const books = await Books.open(db, 100_000)
      const sessionId = await books.openSession(2_000)
      expect(await books.end(sessionId, 50 * SECOND)).toBe(true)
      expect(await books.end(sessionId, 1 * SECOND)).toBe(false)
      expect(await books.balance()).toEqual([100_000, 98_000, 0, 2_000])
      const { sessionId: unopened } = await books.reserve({ requestedMs: 3_000 })
      expect(await books.end(unopened, 1 * SECOND)).toBe(false)
      expect(await books.session(unopened)).toMatchObject({ status: 'reserved' })
      await books.agree()
    },
  ],
  [
    'a node that was declared dead settles nothing: its session failed and costs nothing',
    async db => {
      const books = await Books.open(db, 100_000)
      const sessionId = await books.openSession(10_000)
      await markGone(db, books.node.id)
      expect(await books.end(sessionId, 5 * SECOND)).toBe(false)
      expect(await books.session(sessionId)).toMatchObject({
        status: 'failed',
        ending: 'node_died',
        audio_ms: 0,
        billable_ms: 0,
      })
      expect(await books.balance()).toEqual([100_000, 100_000, 0, 0])
      await books.agree()
    },
  ],
  [
    'an open session gets more in whole seconds, at most what there is',
    async db => {
      const books = await Books.open(db, 100_999)
      const other = await books.openSession(1_000)
      const sessionId = await books.openSession(60_000)
      expect(await extend(db, sessionId, 30_500)).toBe(30_000)
      expect(await books.balance()).toEqual([100_999, 9_999, 91_000, 0])
      expect(await extend(db, sessionId, 999)).toBe(0)
      expect(await extend(db, sessionId, 1_000)).toBe(1_000)
      expect(await extend(db, sessionId, 60_000)).toBe(8_000)
      expect(await extend(db, sessionId, 60_000)).toBe(0)
      expect(await books.session(sessionId)).toMatchObject({ reserved_ms: 99_000 })
      expect(await books.session(other)).toMatchObject({ reserved_ms: 1_000 })
      expect((await books.entries(sessionId)).slice(1)).toEqual([
        ['extend', -30_000, 30_000, 0],
        ['extend', -1_000, 1_000, 0],
        ['extend', -8_000, 8_000, 0],
      ])
      expect(await books.end(sessionId, 95 * SECOND)).toBe(true)
      expect(await books.balance()).toEqual([100_999, 4_999, 1_000, 95_000])
      await books.agree()
    },
  ],
  [
    'a session that is not open, of an account that is not active, or of nobody gets nothing more',
    async db => {
      const books = await Books.open(db, 100_000)
      const { sessionId: unopened } = await books.reserve({ requestedMs: 1_000 })
      expect(await extend(db, unopened, 5_000)).toBe(0)
      const ended = await books.openSession(1_000)
      await books.end(ended, 0)
      expect(await extend(db, ended, 5_000)).toBe(0)
      const open = await books.openSession(1_000)
      await db.query('UPDATE accounts SET active = false WHERE id = $1', [books.holder.accountId])
      expect(await extend(db, open, 5_000)).toBe(0)
      expect(await extend(db, '00000000-0000-4000-8000-00000000dead', 5_000)).toBe(0)
      await books.agree()
    },
  ],
  [
    'a balance starts empty and moves by entries only, and entries stay as they are',
    async db => {
      const books = await Books.open(db, 7_000)
      expect(await books.balance()).toEqual([7_000, 7_000, 0, 0])
      const stray = 'a balance changes only by a ledger entry'
      const { accountId } = books.holder
      const update = `UPDATE accounts SET granted_ms = 8000, available_ms = 8000 WHERE id = $1`
      expect(await refusalOf(db.query(update, [accountId]))).toBe(stray)
      const insert = `INSERT INTO accounts (id, name, created_at, granted_ms, available_ms)
        VALUES (gen_random_uuid(), 'x', now(), 5, 5)`
      expect(await refusalOf(db.query(insert))).toBe(stray)
      const appendOnly = 'ledger_entries is append-only'
      const edit = 'UPDATE ledger_entries SET note = $2 WHERE account_id = $1'
      expect(await refusalOf(db.query(edit, [accountId, 'x']))).toBe(appendOnly)
      const remove = 'DELETE FROM ledger_entries WHERE account_id = $1'
      expect(await refusalOf(db.query(remove, [accountId]))).toBe(appendOnly)
    },
  ],
]
