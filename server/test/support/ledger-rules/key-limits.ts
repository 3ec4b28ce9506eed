// Rules of a key with a limit of its own: what it may still reserve in this month.

import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { createKey } from '#server/accounts/keys.js'
import { at, Books, NOW, type Rule, SECOND } from './books.ts'

const MONTH_STARTS = new Date('2030-05-01T00:00:00Z')

async function limitKey(books: Books, ms: number): Promise<void> {
  await books.db.query('UPDATE api_keys SET monthly_limit_ms = $2 WHERE id = $1', [books.holder.apiKeyId, ms])
}

async function roomMs(books: Books, now = NOW): Promise<number | null> {
  const [row] = await books.db.query<{ room: number | null }>('SELECT key_room_ms($1, $2) AS room', [
    books.holder.apiKeyId,
    now,
  ])
  return row!.room
}

export const KEY_LIMITS: readonly Rule[] = [
  [
    'a key without a limit has none; one with a limit reserves up to it',
    async db => {
      const books = await Books.open(db, 100_000)
      expect(await roomMs(books)).toBeNull()
      await limitKey(books, 10_000)
      expect(await books.reserve({ requestedMs: 60_000 })).toMatchObject({ reservedMs: 10_000 })
      expect(await roomMs(books)).toBe(0)
      expect((await books.refusal()).outcome).toBe('key_limit_reached')
    },
  ],
  [
    'a key pays for what its open sessions reserve and its ended ones used',
    async db => {
      const books = await Books.open(db, 100_000)
      await limitKey(books, 50_000)
      const open = await books.openSession(10_000)
      const ended = await books.openSession(20_000)
      await books.end(ended, 2 * SECOND)
      expect(await roomMs(books)).toBe(38_000)
      await books.end(open, 1 * SECOND)
      expect(await roomMs(books)).toBe(47_000)
    },
  ],
  [
    'a key does not pay for reservations that are over, nor for other keys',
    async db => {
      const books = await Books.open(db, 100_000)
      await limitKey(books, 50_000)
      await books.reserve({ requestedMs: 10_000, expiresAt: at(60_000) })
      expect(await roomMs(books, at(59_999))).toBe(40_000)
      expect(await roomMs(books, at(60_000))).toBe(50_000)
      const { accountId } = books.holder
      const other = { id: randomUUID(), accountId, name: '', models: null, expiresAt: null, now: NOW }
      await createKey(db, other)
      await books.reserve({ requestedMs: 5_000, apiKeyId: other.id })
      expect(await roomMs(books)).toBe(40_000)
    },
  ],
  [
    'a key pays anew with every month of UTC',
    async db => {
      const books = await Books.open(db, 100_000)
      await limitKey(books, 50_000)
      const before = new Date(MONTH_STARTS.getTime() - 1)
      await books.reserve({ requestedMs: 10_000, expiresAt: at(60_000) }, before)
      expect(await roomMs(books)).toBe(50_000)
      await books.reserve({ requestedMs: 20_000, expiresAt: at(60_000) }, MONTH_STARTS)
      expect(await roomMs(books)).toBe(30_000)
    },
  ],
]
