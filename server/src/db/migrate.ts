// Brings the database to the code's schema: numbered plain SQL, each file once, in order, in a transaction of its own that also
// records it. Two processes that start at once take turns, by a lock that the transaction holds.
// By hand, because the tools for this bring a driver of their own, which cannot reach the embedded database.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Database, Tx } from './port.ts'

interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly checksum: string
  /** It takes something away that older programs use, so that those must not start on this database any more. */
  readonly contracts: boolean
}

interface Migration extends AppliedMigration {
  readonly sql: string
}

// Any constant will do, as long as nothing else locks it.
const LOCK_KEY = 7_283_540_127

const OUR_MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))

/**
 * While a migration waits for a table, everybody else waits behind it. So it gives up soon when a backup or a long report holds the
 * table, and tries again later. It gives up before PostgreSQL looks for deadlocks (after a second): of two that wait for each other,
 * the migration steps back, not the node that runs.
 */
const LOCK_TIMEOUT = '500ms'
const LOCK_RETRY_MS = 2_000
const LOCK_ATTEMPTS = 120
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'

/** A migration that takes something away says so in its first line. All others only add, and older programs run on. */
const CONTRACTS = /^-- contract:/

export interface MigrateOptions {
  readonly folder?: string
  /** Applies no others than these. */
  readonly only?: readonly { readonly number: number; readonly name: string }[]
}

/**
 * Applies what is missing, in the order of the numbers, and returns its names. A migration that was merged late may have a
 * lower number than one that a database already has: it is applied all the same. Throws when history was changed, or when
 * the database has a migration that this program does not know and cannot live with.
 */
export async function migrate(
  database: Database,
  { folder = OUR_MIGRATIONS, only }: MigrateOptions = {},
): Promise<string[]> {
  const all = readMigrations(folder)
  const migrations = only ? all.filter(({ number }) => only.some(one => one.number === number)) : all
  const unknown = only?.find(({ number }) => !all.some(one => one.number === number))
  if (unknown) throw new Error(`this program is older: it does not know the migration ${unknown.name}`)
  const done: string[] = []
  for (;;) {
    const applied = await withRetries(() => database.transaction(tx => applyNext(tx, migrations)))
    if (!applied) return done
    done.push(applied.name)
  }
}

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const { code } = error as { code?: unknown }
      const isInTheWay = code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED
      if (!isInTheWay || attempt === LOCK_ATTEMPTS) throw error
      await wait(LOCK_RETRY_MS)
    }
  }
}

function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter(file => file.endsWith('.sql'))
  const migrations = files.sort().map(file => readMigration(folder, file))
  migrations.forEach((migration, index) => {
    if (migration.number === migrations[index - 1]?.number)
      throw new Error(`the migration ${migration.name} has the number of ${migrations[index - 1]!.name}`)
  })
  return migrations
}

function readMigration(folder: string, file: string): Migration {
  const digits = /^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]
  if (digits === undefined) throw new Error(`the migration ${file} must be named like 0001-what-it-does.sql`)
  const sql = readFileSync(join(folder, file), 'utf8')
  const checksum = createHash('sha256').update(sql).digest('hex')
  return { number: Number(digits), name: file, checksum, contracts: CONTRACTS.test(sql), sql }
}

async function applyNext(tx: Tx, migrations: readonly Migration[]): Promise<Migration | undefined> {
  // Held until this transaction ends: a second process waits here and then finds the work done.
  await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY])
  const applied = await readHistory(tx)
  checkHistory(applied, migrations)
  const next = migrations.find(({ number }) => !applied.some(one => one.number === number))
  if (!next) return undefined
  await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
  await tx.query(next.sql)
  await tx.query(
    'INSERT INTO schema_migrations (number, name, checksum, contracts) VALUES ($1, $2, $3, $4)',
    [next.number, next.name, next.checksum, next.contracts],
  )
  return next
}

async function readHistory(tx: Tx): Promise<AppliedMigration[]> {
  await tx.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       number integer PRIMARY KEY,
       name text NOT NULL,
       checksum text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now()
     )`,
  )
  // Later than the table itself, and with a default: the first release writes rows without it.
  await tx.query(
    'ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS contracts boolean NOT NULL DEFAULT false',
  )
  return tx.query<AppliedMigration>(
    'SELECT number, name, checksum, contracts FROM schema_migrations ORDER BY number',
  )
}

function checkHistory(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  for (const { number, name, checksum, contracts } of applied) {
    const ours = migrations.find(one => one.number === number)
    if (!ours && contracts) {
      throw new Error(`the database is newer than this program can use: it has the migration ${name}`)
    }
    if (ours && ours.checksum !== checksum) {
      throw new Error(`the migration ${ours.name} was changed after it was applied as ${name}`)
    }
  }
}
