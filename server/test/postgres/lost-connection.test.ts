// A connection that the database ends in the middle of a transaction: the driver tells that by an event, too, and one that nobody listens
// to would end the whole service, with all its streams.

import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isDatabaseOutage } from '#server/db/outage.js'
import type { Database, Tx } from '#server/db/port.js'
import { type OpenTestDatabase, openTestDatabase } from '../support/database/database.ts'

let opened: OpenTestDatabase
let database: Database
beforeAll(async () => {
  opened = await openTestDatabase()
  database = opened.database
})
afterAll(() => opened.close())

/** Fails by an error that nobody catches, too: then vitest fails the run. */
async function loseWithin(work: (tx: Tx, lose: () => Promise<void>) => Promise<unknown>): Promise<unknown> {
  const lost = database.transaction(async tx => {
    const [backend] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await work(tx, () => endBackend(backend!.pid))
  })
  const failure = await lost.catch((error: unknown) => error)
  // What the driver still has to say.
  await wait(100)
  return failure
}

async function endBackend(pid: number): Promise<void> {
  await database.query('SELECT pg_terminate_backend($1)', [pid])
  const running = () => database.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])
  while ((await running()).length > 0) await wait(5)
}

it('fails the transaction that it was lost in between two statements, and nothing else', async () => {
  const failure = await loseWithin(async (tx, lose) => {
    await lose()
    await wait(50)
    await tx.query('SELECT 1')
  })
  expect(isDatabaseOutage(failure)).toBe(true)
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
})

it('fails the transaction that it was lost in during a statement, and nothing else', async () => {
  const failure = await loseWithin((tx, lose) => Promise.all([tx.query('SELECT pg_sleep(60)'), lose()]))
  expect(isDatabaseOutage(failure)).toBe(true)
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
})
