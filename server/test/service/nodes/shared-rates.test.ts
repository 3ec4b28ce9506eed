// Rates of an account over several nodes.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { RequestRate } from '#server/network/request-rate.js'
import { forgetRequestCounts, SharedRates } from '#server/nodes/shared-rates.js'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'

let test: OpenTestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.close())

const start = new Date('2030-01-01T00:00:00Z')
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)
let now: Date
let statements: number
let account: string
beforeEach(() => {
  now = start
  statements = 0
  account = randomUUID()
})

function startNode(most = 10) {
  const nodeId = randomUUID()
  const db: OpenTestDatabase['database'] = {
    ...test.database,
    query: (sql, params) => {
      statements++
      return test.database.query(sql, params)
    },
  }
  const shared = new SharedRates({ db, nodeId: () => nodeId, clock: () => now, onError: fail })
  const rate = new RequestRate({ most })
  shared.share('usage', rate)
  const takeMany = (count: number) => Array.from({ length: count }, () => rate.take(account, now).allowed)
  return { shared, rate, takeMany }
}

function fail(error: unknown): never {
  throw error
}

it('counts what other nodes have seen, and says when one more is allowed', async () => {
  const [one, two] = [startNode(), startNode()]
  expect(one.takeMany(7)).not.toContain(false)
  now = after(10)
  two.takeMany(1)
  await one.shared.exchange()
  await two.shared.exchange()
  expect(two.takeMany(3)).toEqual([true, true, false])
  expect(two.rate.peek(account, now)).toEqual({ allowed: false, remaining: 0, nextSeconds: 50 })
  await two.shared.exchange()
  await one.shared.exchange()
  expect(one.rate.take(account, now)).toMatchObject({ allowed: false })
})

it('allows it again when the requests of the others have left the window', async () => {
  const [one, two] = [startNode(), startNode()]
  one.takeMany(9)
  two.takeMany(1)
  await one.shared.exchange()
  await two.shared.exchange()
  expect(two.takeMany(1)).toEqual([false])
  now = after(60)
  two.takeMany(1)
  await one.shared.exchange()
  await test.database.query(`UPDATE request_counts SET told_at = told_at - interval '6 s'`)
  await two.shared.exchange()
  expect(two.takeMany(10)).toEqual([...Array(9).fill(true), false])
})

it('keeps accounts apart, and costs no statement while nobody asks', async () => {
  const [one, two] = [startNode(), startNode()]
  await one.shared.exchange()
  expect(statements).toBe(0)
  one.takeMany(10)
  await one.shared.exchange()
  expect(statements).toBe(1)
  const other = randomUUID()
  two.rate.take(other, now)
  await two.shared.exchange()
  expect(two.rate.peek(other, now)).toMatchObject({ remaining: 9 })
})

it('forgets what no node reports any more', async () => {
  const one = startNode()
  one.takeMany(1)
  await one.shared.exchange()
  await test.database.query(`UPDATE request_counts SET told_at = told_at - interval '11 minutes'`)
  await forgetRequestCounts(test.database)
  expect(await test.database.query('SELECT FROM request_counts')).toEqual([])
})
