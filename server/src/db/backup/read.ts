// Reads everything that must outlive a database, in one snapshot, while the service runs.

import type { Database, Tx } from '../port.ts'
import { type AppliedMigration, listMigrations, listTables } from './tables.ts'

/** Rows that are in memory at a time. */
const BATCH = 1_000

/** The parts of a backup, in their order. */
export type BackupRecord =
  | { readonly type: 'begin'; readonly migrations: readonly AppliedMigration[] }
  | { readonly type: 'table'; readonly name: string; readonly columns: readonly string[] }
  /** Rows of the last table, as JSON objects by column. */
  | { readonly type: 'rows'; readonly rows: readonly object[] }
  | { readonly type: 'end'; readonly rows: number }

/**
 * Passes on every record in turn. The snapshot shows one moment: later changes are not in it. PostgreSQL keeps serving meanwhile; the
 * embedded database serves others again when everything has been read.
 */
export async function readEverything(
  database: Database,
  take: (record: BackupRecord) => Promise<void>,
): Promise<void> {
  await database.transaction(async tx => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
    await take({ type: 'begin', migrations: await listMigrations(tx) })
    let total = 0
    for (const { name, columns, refersToItself } of await listTables(tx)) {
      await take({ type: 'table', name, columns })
      total += await readTable(tx, name, refersToItself ? 'ALL' : BATCH, rows => take({ type: 'rows', rows }))
    }
    await take({ type: 'end', rows: total })
  })
}

async function readTable(
  tx: Tx,
  name: string,
  batchSize: number | 'ALL',
  take: (rows: object[]) => Promise<void>,
): Promise<number> {
  await tx.query(`DECLARE backup_rows NO SCROLL CURSOR FOR SELECT to_jsonb(t) AS row FROM "${name}" t`)
  let count = 0
  for (;;) {
    const batch = await tx.query<{ row: object }>(`FETCH ${batchSize} FROM backup_rows`)
    if (batch.length === 0) break
    count += batch.length
    await take(batch.map(({ row }) => row))
  }
  await tx.query('CLOSE backup_rows')
  return count
}
