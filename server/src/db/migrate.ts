// Brings the database to the code's schema: numbered plain SQL, each file once, in order, in a transaction of its own that also
// records it. Two processes that start at once take turns, by a lock that the transaction holds.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Database, Tx } from './port.ts'

interface Migration {
  readonly number: number
  readonly name: string
  readonly checksum: string
  readonly sql: string
}

interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

// Any constant will do, as long as nothing else locks it.
const LOCK_KEY = 7_283_540_127

const OUR_MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Applies what is missing and returns its names. Throws when the database is newer than the code or history was changed. */
export async function migrate(database: Database, folder: string = OUR_MIGRATIONS): Promise<string[]> {
  const migrations = readMigrations(folder)
  const done: string[] = []
  for (;;) {
    const applied = await database.transaction(tx => applyNext(tx, migrations))
    if (!applied) return done
    done.push(applied.name)
  }
}

function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter(file => file.endsWith('.sql'))
  return files.sort().map((file, index) => {
    const digits = /^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]
    if (digits === undefined)
      throw new Error(`the migration ${file} must be named like 0001-what-it-does.sql`)
    if (Number(digits) !== index + 1) {
      throw new Error(
        `the migration ${file} must have the number ${index + 1}: numbers have no gaps and no twins`,
      )
    }
    const sql = readFileSync(join(folder, file), 'utf8')
    return { number: index + 1, name: file, checksum: createHash('sha256').update(sql).digest('hex'), sql }
  })
}

async function applyNext(tx: Tx, migrations: readonly Migration[]): Promise<Migration | undefined> {
  // Held until this transaction ends: whoever comes second waits here and then finds the work done.
  await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY])
  await tx.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       number integer PRIMARY KEY,
       name text NOT NULL,
       checksum text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now()
     )`,
  )
  const applied = await tx.query<AppliedMigration>(
    'SELECT number, name, checksum FROM schema_migrations ORDER BY number',
  )
  checkHistory(applied, migrations)
  const next = migrations[applied.length]
  if (!next) return undefined
  await tx.query(next.sql)
  await tx.query('INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)', [
    next.number,
    next.name,
    next.checksum,
  ])
  return next
}

function checkHistory(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  for (const { number, name, checksum } of applied) {
    const ours = migrations[number - 1]
    if (!ours) throw new Error(`the database is newer than this program: it has the migration ${name}`)
    if (ours.checksum !== checksum) {
      throw new Error(`the migration ${ours.name} was changed after it was applied as ${name}`)
    }
  }
}
