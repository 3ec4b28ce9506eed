// Everything into a file while the service writes, back into an empty database, and from the embedded database into PostgreSQL.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { COMMAND_LINE, recordAction } from '#server/accounts/audit.js'
import { copyDatabase } from '#server/db/backup/copy.js'
import { backUp, restore } from '#server/db/backup/file.js'
import { listTables } from '#server/db/backup/tables.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { grantCredit } from '#server/ledger/grant.js'
import { settle } from '#server/ledger/settle.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { readConfig } from '#server/settings/config.js'
import {
  createTestDatabase,
  currentEngine,
  type Engine,
  failOnLoss,
  openTestDatabase,
} from '../support/database/database.ts'
import { createHolder, type Holder, mustReserve } from '../support/database/ledger.ts'
import { registerTestNode } from '../support/database/nodes.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean()
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-backup-'))
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Without any schema, as a new installation is. */
async function openBlank(engine: Engine = currentEngine()): Promise<Database> {
  const store = await createTestDatabase(engine)
  const database = await openDatabase(readConfig({ ...store.env }), { as: 'service', ...failOnLoss })
  cleanUp.push(async () => {
    await database.close()
    await store.remove()
  })
  return database
}

/** Accounts with sessions in every state, more than one batch of entries, and an entry of the audit log. */
async function openUsed(engine: Engine = currentEngine()): Promise<{ database: Database; holder: Holder }> {
  const opened = await openTestDatabase(engine)
  cleanUp.push(() => opened.close())
  const { database } = opened
  const now = new Date()
  const holder = await createHolder(database, now, 600_000, 100)
  const node = await registerTestNode(database)
  const idempotency = { key: 'kept', fingerprint: Buffer.from([0, 1, 255]) }
  const [open, ended] = [
    await mustReserve(database, holder, now, { node }),
    await mustReserve(database, holder, now, { node }),
  ]
  await mustReserve(database, holder, now, { node, idempotency })
  for (const { sessionId } of [open, ended])
    await redeemSession(database, { sessionId, nodeId: node.id, now })
  await settle(database, {
    sessionId: ended.sessionId,
    ending: 'client_closed',
    acceptedSamples: 50_000,
    now,
  })
  // Two keys that name each other in the order in which they cannot be inserted one by one.
  await database.query(
    `INSERT INTO api_keys (id, account_id, name, hash, hint, created_at, replaced_by)
     SELECT $2, account_id, 'replaced', '\\x01', '', created_at, id FROM api_keys WHERE account_id = $1`,
    [holder.accountId, randomUUID()],
  )
  await database.query(
    `UPDATE api_keys SET name = 'moved to the end' WHERE account_id = $1 AND replaced_by IS NULL`,
    [holder.accountId],
  )
  await database.query(
    `INSERT INTO ledger_entries (account_id, kind, available_ms, reserved_ms, consumed_ms, note, created_at)
     SELECT $1, 'grant', 1, 0, 0, 'quotes '' " \\ ĩũ', now() FROM generate_series(1, 1500)`,
    [holder.accountId],
  )
  await database.transaction(tx =>
    recordAction(tx, {
      actor: COMMAND_LINE,
      action: 'credit.grant',
      target: holder.accountId,
      details: { seconds: 1 },
      now,
    }),
  )
  return { database, holder }
}

async function contentOf(database: Database): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  for (const { name } of await listTables(database)) {
    const rows = await database.query<{ row: unknown }>(`SELECT to_jsonb(t) AS row FROM "${name}" t`)
    content[name] = rows.map(({ row }) => JSON.stringify(row)).sort()
  }
  return content
}

describe('a backup', () => {
  it('brings back every row, and the database works on', async () => {
    const { database, holder } = await openUsed()
    const file = join(newFolder(), 'backup')
    const rows = await backUp(database, file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const restored = await openBlank()
    expect(await restore(restored, file)).toBe(rows)
    expect(await contentOf(restored)).toEqual(await contentOf(database))
    const grant = { accountId: holder.accountId, amountMs: 5000, note: null, now: new Date() }
    expect(await grantCredit(restored, grant)).toBe(true)
    expect((await verifyLedger(restored)).discrepancies).toEqual([])
    await expect(restored.query('UPDATE ledger_entries SET available_ms = 1')).rejects.toThrow('append-only')
  })

  it('is of one moment, however much is written meanwhile', async () => {
    const { database, holder } = await openUsed()
    const file = join(newFolder(), 'backup')
    let isDone = false
    const writing = (async () => {
      while (!isDone)
        await grantCredit(database, {
          accountId: holder.accountId,
          amountMs: 1000,
          note: null,
          now: new Date(),
        })
    })()
    await backUp(database, file)
    isDone = true
    await writing
    const restored = await openBlank()
    await restore(restored, file)
    expect((await verifyLedger(restored)).discrepancies).toEqual([])
  })

  it('goes only into an empty database, and leaves another one as it is', async () => {
    const { database } = await openUsed()
    const file = join(newFolder(), 'backup')
    await backUp(database, file)
    const before = await contentOf(database)
    await expect(restore(database, file)).rejects.toThrow('not empty')
    expect(await contentOf(database)).toEqual(before)
    expect((await verifyLedger(database)).discrepancies).toEqual([])
  })

  it('that is cut off or is none is refused, and nothing of it is kept', async () => {
    const { database } = await openUsed()
    const folder = newFolder()
    await backUp(database, join(folder, 'whole'))
    const whole = readFileSync(join(folder, 'whole'))
    writeFileSync(join(folder, 'cut'), whole.subarray(0, whole.length / 2))
    writeFileSync(join(folder, 'other'), 'something else')
    const restored = await openBlank()
    await expect(restore(restored, join(folder, 'cut'))).rejects.toThrow()
    await expect(restore(restored, join(folder, 'other'))).rejects.toThrow()
    await expect(restore(restored, join(folder, 'missing'))).rejects.toThrow('ENOENT')
    expect(await restore(restored, join(folder, 'whole'))).toBeGreaterThan(1500)
  })
})

describe.skipIf(currentEngine() !== 'postgres')('moving from the embedded database to PostgreSQL', () => {
  it('loses nothing', async () => {
    const { database: embedded } = await openUsed('embedded')
    const postgres = await openBlank('postgres')
    const rows = await copyDatabase(embedded, postgres)
    expect(rows).toBeGreaterThan(1500)
    expect(await contentOf(postgres)).toEqual(await contentOf(embedded))
    expect((await verifyLedger(postgres)).discrepancies).toEqual([])
    await expect(copyDatabase(embedded, postgres)).rejects.toThrow('not empty')
  })
})
