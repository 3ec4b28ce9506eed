// Databases for tests of backups: one that is in use, and one without any schema. They are closed and deleted after the test.

import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { COMMAND_LINE, recordAction } from '#server/accounts/audit.js'
import { listTables } from '#server/db/backup/tables.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { settle } from '#server/ledger/settle.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { readConfig } from '#server/settings/config.js'
import { createTestDatabase, currentEngine, type Engine, failOnLoss, openTestDatabase } from './database.ts'
import { createHolder, type Holder, mustReserve } from './ledger.ts'
import { registerTestNode } from './nodes.ts'

/** Without any schema, as a new installation is. */
export async function openBlank(engine: Engine = currentEngine()): Promise<Database> {
  const store = await createTestDatabase(engine)
  const database = await openDatabase(readConfig({ ...store.env }), { as: 'service', ...failOnLoss })
  onTestFinished(async () => {
    await database.close()
    await store.remove()
  })
  return database
}

/** Accounts with sessions in every state, more than one batch of entries, and an entry of the audit log. */
export async function openUsed(
  engine: Engine = currentEngine(),
): Promise<{ database: Database; holder: Holder }> {
  const opened = await openTestDatabase(engine)
  onTestFinished(() => opened.close())
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

export async function contentOf(database: Database): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  for (const { name } of await listTables(database)) {
    const rows = await database.query<{ row: unknown }>(`SELECT to_jsonb(t) AS row FROM "${name}" t`)
    content[name] = rows.map(({ row }) => JSON.stringify(row)).sort()
  }
  return content
}
