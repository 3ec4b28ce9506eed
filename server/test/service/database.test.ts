import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#server/db/port.js'
import { type ConstraintViolation, constraintViolation } from '../support/database/constraint-violation.ts'
import { type OpenTestDatabase, openTestDatabase } from '../support/database/database.ts'

let opened: OpenTestDatabase
let database: Database

beforeAll(async () => {
  opened = await openTestDatabase()
  database = opened.database
  await database.query(`CREATE TABLE purse (
    id integer PRIMARY KEY,
    cents bigint NOT NULL CONSTRAINT purse_not_negative CHECK (cents >= 0),
    changed_at timestamptz NOT NULL DEFAULT now()
  )`)
})

afterAll(() => opened.close())

async function cents(id: number): Promise<number | undefined> {
  const rows = await database.query<{ cents: number }>('SELECT cents FROM purse WHERE id = $1', [id])
  return rows[0]?.cents
}

async function violationOf(work: Promise<unknown>): Promise<ConstraintViolation | undefined> {
  try {
    await work
  } catch (error) {
    return constraintViolation(error)
  }
  return undefined
}

describe('the database port', () => {
  it('reads bigint as a number and timestamptz as a Date', async () => {
    const [row] = await database.query('SELECT 9007199254740991::bigint AS large, now() AS at')
    expect(row).toEqual({ large: Number.MAX_SAFE_INTEGER, at: expect.any(Date) })
  })

  it('refuses a bigint that a number cannot hold instead of rounding it', async () => {
    await expect(database.query('SELECT 9007199254740993::bigint AS large')).rejects.toThrow('out of range')
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('tells which constraint refused', async () => {
    await database.query('INSERT INTO purse (id, cents) VALUES (1, 5)')
    const twin = database.query('INSERT INTO purse (id, cents) VALUES (1, 5)')
    expect(await violationOf(twin)).toEqual({ sqlState: '23505', constraint: 'purse_pkey' })
    const debt = database.query('UPDATE purse SET cents = cents - 6 WHERE id = 1')
    expect(await violationOf(debt)).toEqual({ sqlState: '23514', constraint: 'purse_not_negative' })
  })

  it('keeps nothing of a transaction whose work throws, and the connection stays usable', async () => {
    await database.query('INSERT INTO purse (id, cents) VALUES (2, 0)')
    for (let round = 0; round < 30; round++) {
      const broken = database.transaction(async tx => {
        await tx.query('UPDATE purse SET cents = 100 WHERE id = 2')
        if (round % 2 === 0) throw new Error('changed my mind')
        await tx.query('SELECT no_such_column')
      })
      await expect(broken).rejects.toThrow(/changed my mind|no_such_column/)
    }
    expect(await cents(2)).toBe(0)
  })

  it('runs 40 transactions at once that all change one row, without losing one', async () => {
    await database.query('INSERT INTO purse (id, cents) VALUES (3, 0)')
    const add = () =>
      database.transaction(async tx => {
        const [row] = await tx.query<{ cents: number }>('SELECT cents FROM purse WHERE id = 3 FOR UPDATE')
        await tx.query('UPDATE purse SET cents = $1 WHERE id = 3', [row!.cents + 1])
      })
    await Promise.all(Array.from({ length: 40 }, add))
    expect(await cents(3)).toBe(40)
  })

  it('answers every one of many different statements at once with its own result', async () => {
    const ask = async (number: number) => {
      const columns = Array.from(
        { length: (number % 5) + 1 },
        (_, index) => `$${index + 1}::int AS c${index}`,
      )
      const [row] = await database.query(
        `SELECT ${columns.join(', ')}`,
        columns.map((_, index) => number + index),
      )
      return Object.values(row!)
    }
    const answers = await Promise.all(Array.from({ length: 300 }, (_, number) => ask(number)))
    answers.forEach((answer, number) => {
      expect(answer).toEqual(Array.from({ length: (number % 5) + 1 }, (_, index) => number + index))
    })
  })

  it('lets statements that fail disturb no others', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, number) =>
        number % 3 === 0
          ? database.query('SELECT $1::int / 0', [number])
          : database.query<{ number: number }>('SELECT $1::int AS number', [number]),
      ),
    )
    outcomes.forEach((outcome, number) => {
      if (number % 3 === 0) expect(outcome.status).toBe('rejected')
      else expect(outcome).toEqual({ status: 'fulfilled', value: [{ number }] })
    })
  })

  it('gives two workers different rows with SKIP LOCKED, or makes the second wait', async () => {
    await database.query('INSERT INTO purse (id, cents) VALUES (11, 0), (12, 0)')
    const take = () =>
      database.transaction(async tx => {
        const [row] = await tx.query<{ id: number }>(
          'SELECT id FROM purse WHERE id IN (11, 12) AND cents = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED',
        )
        await tx.query('UPDATE purse SET cents = 1 WHERE id = $1', [row!.id])
        return row!.id
      })
    expect((await Promise.all([take(), take()])).sort()).toEqual([11, 12])
  })

  it('carries large values in both directions, many at once, each to its own', async () => {
    const echo = async (number: number) => {
      const large = String(number).repeat(200_000)
      const [row] = await database.query<{ back: string }>('SELECT $1::text AS back', [large])
      return row!.back === large
    }
    const echoes = await Promise.all(Array.from({ length: 40 }, (_, number) => echo(number)))
    expect(echoes.every(Boolean)).toBe(true)
  })
})
