// What the database itself refuses, whatever the code above it does; and that the audit finds what was changed in spite of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settle } from '#server/ledger/settle.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { constraintViolation } from '../../support/database/constraint-violation.ts'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'
import { createHolder, type Holder, mustReserve } from '../../support/database/ledger.ts'
import { registerTestNode, type TestNode } from '../../support/database/nodes.ts'

let test: OpenTestDatabase
let holder: Holder
let node: TestNode
const now = new Date()
const nodeId = '00000000-0000-4000-8000-000000000001'
beforeAll(async () => {
  test = await openTestDatabase()
  node = await registerTestNode(test.database, { id: nodeId })
  holder = await createHolder(test.database, now, 100_000, 1000)
})
afterAll(() => test.close())

const run = (sql: string, params?: unknown[]) => test.database.query(sql, params)

async function refusal(sql: string, params?: unknown[]): Promise<string> {
  try {
    await run(sql, params)
  } catch (error) {
    return constraintViolation(error)?.constraint ?? (error as Error).message
  }
  return 'accepted'
}

async function openSession(): Promise<string> {
  const { sessionId } = await mustReserve(test.database, holder, now, { requestedMs: 1000, node })
  await redeemSession(test.database, { sessionId, nodeId, now })
  return sessionId
}

describe('the database refuses', () => {
  it('to change or delete an entry', async () => {
    expect(await refusal('UPDATE ledger_entries SET available_ms = 1')).toBe('ledger_entries is append-only')
    expect(await refusal('DELETE FROM ledger_entries')).toBe('ledger_entries is append-only')
    expect(await refusal('TRUNCATE ledger_entries')).toBe('ledger_entries is append-only')
  })

  it('a balance that no entry moved', async () => {
    const stray = 'a balance changes only by a ledger entry'
    expect(
      await refusal('UPDATE accounts SET available_ms = available_ms + 1, granted_ms = granted_ms + 1'),
    ).toBe(stray)
    const insert = `INSERT INTO accounts (id, name, created_at, granted_ms, available_ms) VALUES (gen_random_uuid(), 'x', now(), 5, 5)`
    expect(await refusal(insert)).toBe(stray)
  })

  it('to spend what is not there', async () => {
    const sessionId = await openSession()
    const entry = `INSERT INTO ledger_entries (account_id, session_id, kind, available_ms, reserved_ms, consumed_ms, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, now())`
    const { accountId } = holder
    expect(await refusal(entry, [accountId, null, 'grant', -5, 0, 0])).toBe('ledger_entries_shape')
    expect(await refusal(entry, [accountId, sessionId, 'gift', 5, 0, 0])).toBe('ledger_entries_shape')
    expect(await refusal(entry, [accountId, null, 'release', 5, -5, 0])).toBe('ledger_entries_session')
    expect(await refusal(entry, [accountId, sessionId, 'settle', 0, -1000, 2000])).toBe(
      'ledger_entries_shape',
    )
    expect(await refusal(entry, [accountId, sessionId, 'release', 1e9, -1e9, 0])).toBe(
      'accounts_reserved_not_negative',
    )
    expect(await refusal(entry, [accountId, sessionId, 'reserve', -1000, 1000, 0])).toBe(
      'ledger_entries_reserved_once',
    )
    await settle(test.database, { sessionId, ending: 'client_closed', acceptedSamples: 0, now })
    const other = await openSession()
    expect(await refusal(entry, [accountId, sessionId, 'release', 1000, -1000, 0])).toBe(
      'ledger_entries_resolved_once',
    )
    await settle(test.database, { sessionId: other, ending: 'client_closed', acceptedSamples: 0, now })
  })
})

describe('a session', () => {
  it('is opened by one of 20 attempts at the same moment', async () => {
    const { sessionId } = await mustReserve(test.database, holder, now, { node, requestedMs: 1000 })
    const attempts = Array.from({ length: 20 }, () =>
      redeemSession(test.database, { sessionId, nodeId, now }),
    )
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const codes = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(new Set(codes)).toEqual(new Set(['credential_already_used']))
    await settle(test.database, { sessionId, ending: 'client_closed', acceptedSamples: 0, now })
  })

  it('is settled by one of 20 attempts at the same moment, and by its amount', async () => {
    const sessionId = await openSession()
    const attempts = Array.from({ length: 20 }, (_, i) =>
      settle(test.database, { sessionId, ending: 'client_closed', acceptedSamples: i + 1, now }),
    )
    const results = await Promise.all(attempts)
    expect(results.filter(({ settled }) => settled)).toHaveLength(1)
    const entries = await run(
      'SELECT kind, consumed_ms FROM ledger_entries WHERE session_id = $1 ORDER BY id',
      [sessionId],
    )
    expect(entries).toEqual([
      { kind: 'reserve', consumed_ms: 0 },
      { kind: 'settle', consumed_ms: 1000 },
    ])
  })

  it('is never billed above its reservation', async () => {
    const sessionId = await openSession()
    await settle(test.database, { sessionId, ending: 'client_closed', acceptedSamples: 16_000 * 50, now })
    expect(await run('SELECT billable_ms FROM sessions WHERE id = $1', [sessionId])).toEqual([
      { billable_ms: 1000 },
    ])
  })
})

describe('the audit', () => {
  it('finds nothing where nothing is wrong, and what was forced past the guards', async () => {
    expect((await verifyLedger(test.database)).discrepancies).toEqual([])
    await run('ALTER TABLE accounts DISABLE TRIGGER USER')
    await run(
      'UPDATE accounts SET available_ms = available_ms + 1, granted_ms = granted_ms + 1 WHERE id = $1',
      [holder.accountId],
    )
    const { discrepancies } = await verifyLedger(test.database)
    expect(discrepancies).toEqual([
      {
        accountId: holder.accountId,
        sessionId: null,
        problem: 'the balance differs from the sum of the entries',
      },
    ])
    await run(
      'UPDATE accounts SET available_ms = available_ms - 1, granted_ms = granted_ms - 1 WHERE id = $1',
      [holder.accountId],
    )
    await run('ALTER TABLE accounts ENABLE TRIGGER USER')
  })

  it('compares every session with its entries', async () => {
    const sessionId = await openSession()
    const problems = async () =>
      (await verifyLedger(test.database)).discrepancies.map(({ problem }) => problem)
    await run(
      `UPDATE sessions SET status = 'failed', ending = 'internal_error', completed_at = now() WHERE id = $1`,
      [sessionId],
    )
    expect(await problems()).toEqual([
      'reserved differs from the reservations of open sessions',
      'the session has ended and is not resolved once by its amounts',
    ])
    await run(`UPDATE sessions SET status = 'active', ending = NULL, completed_at = NULL WHERE id = $1`, [
      sessionId,
    ])
    expect(await problems()).toEqual([])
  })
})
