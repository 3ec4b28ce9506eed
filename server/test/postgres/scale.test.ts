// With many past sessions, the service reads as little as with a few: no statement of a session's life, of usage or of the sweep
// scans the tables that only grow. SAUTI_TEST_SESSIONS=1000000 measures it with a million.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expireReservations,
  expireStrandedReservations,
  failSessionsOfGoneNodes,
  forgetReplays,
} from '#server/ledger/expire.js'
import { settle } from '#server/ledger/settle.js'
import { readUsage } from '#server/ledger/usage.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { declareLostNodesDead, listNodes } from '#server/nodes/registry.js'
import { listLiveSessions } from '#server/sessions/live.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { findSessionsToClose } from '#server/sessions/watch.js'
import { fillLedger } from '../../../scripts/fill-ledger.mjs'
import { type OpenTestDatabase, openTestDatabase } from '../support/database/database.ts'
import { createHolder, type Holder, mustReserve } from '../support/database/ledger.ts'
import { registerTestNode, type TestNode } from '../support/database/nodes.ts'

const SESSIONS = Number(process.env.SAUTI_TEST_SESSIONS ?? 20_000)
const ROUNDS = SESSIONS > 100_000 ? 200 : 30

describe(`with ${SESSIONS} sessions`, () => {
  let test: OpenTestDatabase
  let holder: Holder
  let node: TestNode

  beforeAll(async () => {
    test = await openTestDatabase()
    node = await registerTestNode(test.database)
    holder = await createHolder(test.database, new Date(), 1e10, 100)
  })
  afterAll(() => test.close())

  const fill = (count: number) => fillLedger(test.database, holder, count)

  async function liveOnce(): Promise<void> {
    const now = new Date()
    const idempotency = { key: randomUUID(), fingerprint: Buffer.from('f') }
    const { sessionId } = await mustReserve(test.database, holder, now, {
      node,
      idempotency,
      requestedMs: 1000,
    })
    await redeemSession(test.database, { sessionId, nodeId: node.id, now })
    await findSessionsToClose(test.database, [sessionId])
    await settle(test.database, { sessionId, ending: 'client_closed', acceptedSamples: 16_000, now })
  }

  async function sweepOnce(): Promise<void> {
    const now = new Date()
    await expireReservations(test.database, now)
    await declareLostNodesDead(test.database, node.id, 10_000)
    await failSessionsOfGoneNodes(test.database, now)
    await expireStrandedReservations(test.database, now)
    await forgetReplays(test.database, now)
    await listNodes(test.database)
    await listLiveSessions(test.database, now, 200)
  }

  /** What was read of the growing tables without an index, by all connections. */
  async function countScans(): Promise<Record<string, number>> {
    // Connections report their counts when they are idle for a moment.
    await new Promise(resolve => setTimeout(resolve, 1500))
    await test.database.query('SELECT pg_stat_force_next_flush()').catch(() => undefined)
    const rows = await test.database.query<{ table: string; scans: number }>(
      `SELECT relname AS table, seq_scan AS scans FROM pg_stat_user_tables WHERE relname IN ('sessions', 'ledger_entries')`,
    )
    return Object.fromEntries(rows.map(({ table, scans }) => [table, scans]))
  }

  async function medianMs(work: () => Promise<unknown>): Promise<number> {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const startMs = performance.now()
      await work()
      times.push(performance.now() - startMs)
    }
    return times.sort((a, b) => a - b)[ROUNDS / 2]!
  }

  /** All that a session left, in order, without what differs between any two. */
  async function traces(): Promise<unknown> {
    const [session] = await test.database.query(
      `SELECT to_jsonb(s) - ARRAY['id', 'node_id', 'created_at', 'expires_at', 'activated_at', 'completed_at', 'opening_id'] AS session,
         expires_at - created_at AS lifetime, activated_at >= created_at AND completed_at >= activated_at AS "inOrder",
         ARRAY(SELECT to_jsonb(e) - ARRAY['id', 'session_id', 'created_at'] FROM ledger_entries e WHERE session_id = s.id ORDER BY id) AS entries
       FROM sessions s ORDER BY (SELECT max(e.id) FROM ledger_entries e WHERE e.session_id = s.id) DESC LIMIT 1`,
    )
    const [balance] = await test.database.query(
      'SELECT available_ms, reserved_ms, consumed_ms FROM accounts WHERE id = $1',
      [holder.accountId],
    )
    return { session, balance }
  }

  it('is filled with what sessions leave', async () => {
    const [start] = await test.database.query<{ availableMs: number }>(
      'SELECT available_ms AS "availableMs" FROM accounts WHERE id = $1',
      [holder.accountId],
    )
    await liveOnce()
    const lived = (await traces()) as { session: object; balance: object }
    await fill(1)
    expect(await traces()).toEqual({
      session: lived.session,
      balance: { available_ms: start!.availableMs - 2000, reserved_ms: 0, consumed_ms: 2000 },
    })
    expect(lived.balance).toEqual({
      available_ms: start!.availableMs - 1000,
      reserved_ms: 0,
      consumed_ms: 1000,
    })
  })

  it(
    'nothing of a session, of usage or of the sweep scans what only grows, and the books still agree',
    async () => {
      await fill(1000)
      const usage = () => readUsage(test.database, holder.accountId, new Date())
      const small = {
        session: await medianMs(liveOnce),
        usage: await medianMs(usage),
        sweep: await medianMs(sweepOnce),
      }
      await fill(SESSIONS - 1000)
      const before = await countScans()
      const large = {
        session: await medianMs(liveOnce),
        usage: await medianMs(usage),
        sweep: await medianMs(sweepOnce),
      }
      expect(await countScans()).toEqual(before)
      process.stdout.write(
        `${JSON.stringify({ sessions: SESSIONS, medianMs: { with1000: small, withAll: large } })}\n`,
      )
      expect((await verifyLedger(test.database)).discrepancies).toEqual([])
    },
    120_000 + SESSIONS,
  )
})
