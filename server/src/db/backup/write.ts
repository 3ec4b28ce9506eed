// Puts a backup into an empty database, in one transaction: all of it or nothing.

import { migrate } from '../migrate.ts'
import type { Database, Tx } from '../port.ts'
import type { BackupRecord } from './read.ts'
import { listTables, type Table } from './tables.ts'

export class NotEmptyError extends Error {
  constructor(table: string) {
    super(`the database is not empty: it has rows in ${table}. Restore into a new one.`)
    this.name = 'NotEmptyError'
  }
}

/** `records` gives the next record of the backup; undefined at its end. Returns how many rows were written. */
export async function writeEverything(
  database: Database,
  records: () => Promise<BackupRecord | undefined>,
): Promise<number> {
  const begin = await records()
  if (begin?.type !== 'begin') throw new Error('this is not a backup of Sauti')
  // A backup of an older release goes into the schema of that release, which is then brought up to date as any database is.
  await migrate(database, { only: begin.migrations })
  const rows = await database.transaction(tx => writeTables(tx, records))
  await migrate(database)
  return rows
}

async function writeTables(tx: Tx, records: () => Promise<BackupRecord | undefined>): Promise<number> {
  const tables = await listTables(tx)
  for (const { name } of tables) await requireEmpty(tx, name)
  // Triggers would move balances a second time and refuse accounts that begin with one. They are back before anything is committed.
  for (const { name } of tables) await tx.query(`ALTER TABLE "${name}" DISABLE TRIGGER USER`)
  const written = await writeRows(tx, records)
  for (const table of tables) {
    await continueNumbers(tx, table)
    await tx.query(`ALTER TABLE "${table.name}" ENABLE TRIGGER USER`)
  }
  return written
}

async function requireEmpty(tx: Tx, table: string): Promise<void> {
  const [row] = await tx.query(`SELECT FROM "${table}" LIMIT 1`)
  if (row) throw new NotEmptyError(table)
}

async function writeRows(tx: Tx, records: () => Promise<BackupRecord | undefined>): Promise<number> {
  let insert: string | undefined
  let written = 0
  for (let record = await records(); record; record = await records()) {
    switch (record.type) {
      case 'begin':
        throw new Error('the backup begins twice')
      case 'table':
        insert = insertStatement(record.name, record.columns)
        break
      case 'rows':
        if (insert === undefined) throw new Error('the backup has rows before their table')
        await tx.query(insert, [JSON.stringify(record.rows)])
        written += record.rows.length
        break
      case 'end':
        if (record.rows !== written)
          throw new Error(`the backup has ${written} rows and should have ${record.rows}`)
        return written
    }
  }
  throw new Error('the backup is cut off: its end is missing')
}

function insertStatement(table: string, columns: readonly string[]): string {
  const names = columns.map(column => `"${column}"`).join(', ')
  return `INSERT INTO "${table}" (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${names} FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)`
}

/** The next row that the database numbers gets the number after the last. */
async function continueNumbers(tx: Tx, { name, identities }: Table): Promise<void> {
  for (const column of identities) {
    await tx.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), coalesce((SELECT max("${column}") FROM "${name}"), 0) + 1, false)`,
      [`"${name}"`, column],
    )
  }
}
