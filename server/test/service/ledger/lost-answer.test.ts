// The database opens a session, and its answer is lost. Where the connection broke it is asked again, and knows the session by its attempt.
// Otherwise nobody uses the session, and nobody else would end it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queryable } from '#server/db/port.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'
import { createHolder, mustReserve } from '../../support/database/ledger.ts'
import { registerTestNode, type TestNode } from '../../support/database/nodes.ts'

let test: OpenTestDatabase
let node: TestNode
const now = new Date()
const nodeId = '00000000-0000-4000-8000-000000000001'
beforeAll(async () => {
  test = await openTestDatabase()
  node = await registerTestNode(test.database, { id: nodeId })
})
afterAll(() => test.close())

const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

/** Performs everything and loses the answers to the first statements. */
function losing(answers: number, error = new Error('read ECONNRESET')): Queryable {
  let left = answers
  return {
    async query(sql, params) {
      const rows = await test.database.query(sql, params)
      if (left-- > 0) throw error
      return rows as never
    },
  }
}

async function reserve() {
  const holder = await createHolder(test.database, now, 100_000, 1)
  const { sessionId } = await mustReserve(test.database, holder, now, { requestedMs: 60_000, node })
  const read = async () => {
    const [session] = await test.database.query<{ status: string }>(
      `SELECT s.status, s.ending, s.billable_ms, a.available_ms, a.reserved_ms FROM sessions s JOIN accounts a ON a.id = s.account_id
       WHERE s.id = $1`,
      [sessionId],
    )
    return session
  }
  return { sessionId, read }
}

it.each([1, 3])('it is failed and costs nothing, after %i lost answers', async answers => {
  const { sessionId, read } = await reserve()
  await expect(redeemSession(losing(answers), { sessionId, nodeId, now })).rejects.toThrow('ECONNRESET')
  await expect.poll(read).toEqual({
    status: 'failed',
    ending: 'internal_error',
    billable_ms: 0,
    available_ms: 100_000,
    reserved_ms: 0,
  })
  expect((await verifyLedger(test.database)).discrepancies).toEqual([])
})

it.each([0, 5])('somebody else who has opened it %i ms earlier keeps it', async ms => {
  const { sessionId, read } = await reserve()
  await redeemSession(test.database, { sessionId, nodeId, now })
  const asked: string[] = []
  const watched = losing(1)
  const db: Queryable = {
    query(sql, params) {
      asked.push(sql)
      return watched.query(sql, params)
    },
  }
  const later = new Date(now.getTime() + ms)
  await expect(redeemSession(db, { sessionId, nodeId, now: later })).rejects.toThrow('ECONNRESET')
  await expect.poll(() => asked.length).toBe(2)
  expect(await read()).toMatchObject({ status: 'active' })
})

describe('a connection that breaks', () => {
  it.each([1, 3])("%i times: the session is this one's, and open", async answers => {
    const { sessionId, read } = await reserve()
    const opened = await redeemSession(losing(answers, broken), { sessionId, nodeId, now })
    expect(opened).toMatchObject({ sessionId, reservedMs: 60_000 })
    expect(await read()).toMatchObject({ status: 'active', reserved_ms: 60_000 })
  })

  it('is no way into a session that somebody else has opened', async () => {
    const { sessionId, read } = await reserve()
    await redeemSession(test.database, { sessionId, nodeId, now })
    await expect(redeemSession(losing(1, broken), { sessionId, nodeId, now })).rejects.toMatchObject({
      code: 'credential_already_used',
    })
    expect(await read()).toMatchObject({ status: 'active' })
  })

  it('and an account that is closed before it is asked again: the session is failed and costs nothing', async () => {
    const { sessionId, read } = await reserve()
    const once = losing(1, broken)
    const db: Queryable = {
      async query(sql, params) {
        const rows = await once.query(sql, params).catch(async error => {
          await test.database.query(
            'UPDATE accounts SET active = false WHERE id = (SELECT account_id FROM sessions WHERE id = $1)',
            [sessionId],
          )
          throw error
        })
        return rows as never
      },
    }
    await expect(redeemSession(db, { sessionId, nodeId, now })).rejects.toThrow()
    await expect.poll(read).toMatchObject({ status: 'failed', billable_ms: 0, available_ms: 100_000 })
  })

  it('opens one of many attempts', async () => {
    const { sessionId } = await reserve()
    const attempts = Array.from({ length: 8 }, () =>
      redeemSession(losing(1, broken), { sessionId, nodeId, now }),
    )
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
