// An upgrade while the service runs: nodes of the previous release go on with their statements on the new schema, beside new nodes.

import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, setConcurrencyLimit } from '#server/accounts/accounts.js'
import { migrate } from '#server/db/migrate.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { failSessionsOfGoneNodes } from '#server/ledger/expire.js'
import { settle } from '#server/ledger/settle.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { declareLostNodesDead, listNodes } from '#server/nodes/registry.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { readConfig } from '#server/settings/config.js'
import { createTestDatabase, failOnLoss, type TestDatabase } from '../../support/database/database.ts'
import { type Holder, mustReserve } from '../../support/database/ledger.ts'
import { registerTestNode } from '../../support/database/nodes.ts'
import { PreviousNode } from '../../support/database/previous-release.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url))
/** The migrations of release 0.1.0 are still the first six: their checksums are kept. */
const LAST_PREVIOUS = 6

let store: TestDatabase
let db: Database
let previous: PreviousNode
let holder: Holder
let openBefore: string
const earlier = new Date()

beforeAll(async () => {
  store = await createTestDatabase()
  db = await openDatabase(readConfig({ ...store.env }), { as: 'service', ...failOnLoss })
  const folder = mkdtempSync(join(tmpdir(), 'sauti-previous-'))
  for (const file of readdirSync(MIGRATIONS))
    if (Number(file.slice(0, 4)) <= LAST_PREVIOUS) cpSync(join(MIGRATIONS, file), join(folder, file))
  await migrate(db, { folder })
  rmSync(folder, { recursive: true })

  previous = new PreviousNode(db)
  holder = await createPreviousHolder()
  await previous.beat(earlier)
  openBefore = (await reserveOnPrevious()).sessionId
  await previous.redeem(openBefore, earlier)
  expect(await migrate(db)).not.toEqual([])
})
afterAll(async () => {
  await db.close()
  await store.remove()
})

/** Only with what both releases have: the new columns come with the migration. */
async function createPreviousHolder(): Promise<Holder> {
  const accountId = randomUUID()
  await db.transaction(async tx => {
    await createAccount(tx, { id: accountId, name: 'a holder', creditMs: 3_600_000, now: earlier })
    await setConcurrencyLimit(tx, accountId, 100)
  })
  return { accountId, apiKeyId: await previous.createKey(accountId, earlier) }
}

const reserveOnPrevious = (key: string | null = null) =>
  previous.reserve(holder.accountId, holder.apiKeyId, new Date(), key)

async function statusOf(sessionId: string): Promise<unknown> {
  const [row] = await db.query('SELECT status, billable_ms FROM sessions WHERE id = $1', [sessionId])
  return row
}

describe('a node of the previous release', () => {
  it('settles after the migration what it opened before', async () => {
    expect(await previous.settle(openBefore, 2000, new Date())).toBe(true)
    expect(await statusOf(openBefore)).toEqual({ status: 'completed', billable_ms: 2000 })
  })

  it('creates, opens and settles sessions, and new nodes open what it created', async () => {
    await previous.beat(new Date())
    const own = await reserveOnPrevious()
    expect(await previous.redeem(own.sessionId, new Date())).toBe(true)
    expect(await previous.settle(own.sessionId, 1000, new Date())).toBe(true)
    const other = await reserveOnPrevious()
    const node = await registerTestNode(db)
    await redeemSession(db, { sessionId: other.sessionId, nodeId: node.id, now: new Date() })
    const end = { sessionId: other.sessionId, ending: 'client_closed', acceptedSamples: 16_000 } as const
    expect(await settle(db, { ...end, now: new Date() })).toMatchObject({ settled: true })
  })

  it('opens what new nodes created, and both answer a replay with the same session', async () => {
    const node = await registerTestNode(db)
    const created = await mustReserve(db, holder, new Date(), {
      node,
      idempotency: { key: 'both', fingerprint: Buffer.from('fingerprint') },
    })
    expect(await reserveOnPrevious('both')).toMatchObject({
      outcome: 'replayed',
      sessionId: created.sessionId,
    })
    expect(await previous.redeem(created.sessionId, new Date())).toBe(true)
    expect(await previous.settle(created.sessionId, 1000, new Date())).toBe(true)
  })

  it('is listed, gets no sessions placed on it, and leaves those of living new nodes alone', async () => {
    const node = await registerTestNode(db)
    const { sessionId } = await mustReserve(db, holder, new Date(), { node })
    await redeemSession(db, { sessionId, nodeId: node.id, now: new Date() })
    await previous.beat(new Date())
    await previous.sweep(new Date(), new Date(Date.now() - 30_000))
    expect(await statusOf(sessionId)).toMatchObject({ status: 'active' })
    expect((await listNodes(db)).find(({ id }) => id === previous.id)).toMatchObject({
      state: 'ready',
      capacity: 0,
    })
    const end = { sessionId, ending: 'client_closed', acceptedSamples: 0, now: new Date() } as const
    await settle(db, end)
  })

  it('that dies has its sessions failed by new nodes', async () => {
    const { sessionId } = await reserveOnPrevious()
    await previous.redeem(sessionId, new Date())
    await previous.beat(new Date(Date.now() - 60_000))
    const node = await registerTestNode(db)
    expect(await declareLostNodesDead(db, node.id, 10_000)).toContain(previous.id)
    await failSessionsOfGoneNodes(db, new Date())
    expect(await statusOf(sessionId)).toEqual({ status: 'failed', billable_ms: 0 })
    expect((await verifyLedger(db)).discrepancies).toEqual([])
  })
})
