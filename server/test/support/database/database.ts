// A fresh database for a test, on the engine that SAUTI_TEST_DATABASE names: a new database in the throw-away PostgreSQL, or a
// new data folder. Both are copies of a prepared one, because making one takes seconds.

import { createHash, randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { startEmbedded } from '#server/db/embedded.js'
import { migrate } from '#server/db/migrate.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { openPostgres } from '#server/db/postgres.js'
import { readConfig } from '#server/settings/config.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

export type Engine = 'embedded' | 'postgres'

/** Where a database is, as the settings of a service say it. */
export interface TestDatabase {
  readonly env: Readonly<Record<string, string>>
  remove(): Promise<void>
}

export interface OpenTestDatabase {
  readonly database: Database
  readonly env: Readonly<Record<string, string>>
  /** Closes and deletes it. */
  close(): Promise<void>
}

const ENGINE_VERSION = '0.5.14'
const TEMPLATE_FOLDER = fileURLToPath(
  new URL('../../../../node_modules/.cache/sauti-tests/', import.meta.url),
)
const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const POSTGRES_TEMPLATE = 'migrated'
const DUPLICATE_DATABASE = '42P04'

export function currentEngine(): Engine {
  return process.env.SAUTI_TEST_DATABASE === 'postgres' ? 'postgres' : 'embedded'
}

/** A database that nobody has opened yet, without a schema. */
export function createTestDatabase(engine: Engine = currentEngine()): Promise<TestDatabase> {
  return engine === 'postgres' ? createInPostgres('template1') : createEmbedded(prepareEmpty)
}

/** A database with the schema of the service: a copy, because the migrations take seconds. */
export async function createMigratedDatabase(engine: Engine = currentEngine()): Promise<TestDatabase> {
  if (engine === 'embedded') return createEmbedded(prepareMigrated)
  await preparePostgresTemplate()
  return createInPostgres(POSTGRES_TEMPLATE)
}

/** A database with the schema of the service, open. */
export async function openTestDatabase(engine: Engine = currentEngine()): Promise<OpenTestDatabase> {
  const { env, remove } = await createMigratedDatabase(engine)
  const database = await openDatabase(readConfig({ ...env }), { as: 'service', ...failOnLoss })
  const close = async () => {
    await database.close()
    await remove()
  }
  return { database, env, close }
}

export const failOnLoss = { onConnectionLost: fail, onDatabaseLost: fail }

function fail(error: Error): never {
  throw error
}

async function createInPostgres(template: string): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await runOn(server, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const dataDir = mkdtempSync(join(tmpdir(), 'sauti-test-'))
  const env = {
    SAUTI_DATABASE_URL: addressOf(name),
    SAUTI_SECRET: randomBytes(48).toString('base64'),
    SAUTI_DATA_DIR: dataDir,
  }
  const remove = async () => {
    await runOn(server, `DROP DATABASE ${name} WITH (FORCE)`)
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { env, remove }
}

/** The second process finds the name taken and drops its own. */
async function preparePostgresTemplate(): Promise<void> {
  const server = inject('postgresUrl')
  const [found] = await runOn(server, `SELECT 1 FROM pg_database WHERE datname = '${POSTGRES_TEMPLATE}'`)
  if (found) return
  const name = `new_${randomBytes(6).toString('hex')}`
  await runOn(server, `CREATE DATABASE ${name}`)
  const database = openPostgres({ connection: addressOf(name), poolSize: 1, onConnectionLost: fail })
  await migrate(database)
  await database.close()
  try {
    await runOn(server, `ALTER DATABASE ${name} RENAME TO ${POSTGRES_TEMPLATE}`)
  } catch (error) {
    if ((error as { code?: unknown }).code !== DUPLICATE_DATABASE) throw error
    await runOn(server, `DROP DATABASE ${name} WITH (FORCE)`)
  }
}

function addressOf(database: string): string {
  return inject('postgresUrl').replace(/\/postgres$/, `/${database}`)
}

async function runOn(server: string, sql: string): Promise<readonly object[]> {
  const database = openPostgres({ connection: server, poolSize: 1, onConnectionLost: fail })
  try {
    return await database.query(sql)
  } finally {
    await database.close()
  }
}

async function createEmbedded(prepare: () => Promise<string>): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sauti-test-'))
  cpSync(await prepare(), join(dataDir, 'database'), { recursive: true })
  const remove = async () => rmSync(dataDir, { recursive: true, force: true })
  return { env: { SAUTI_DATA_DIR: dataDir }, remove }
}

function prepareEmpty(): Promise<string> {
  return prepareTemplate(`empty-${ENGINE_VERSION}`)
}

function prepareMigrated(): Promise<string> {
  return prepareTemplate(`migrated-${ENGINE_VERSION}-${hashMigrations()}`, migrate)
}

async function prepareTemplate(
  name: string,
  fill?: (database: Database) => Promise<unknown>,
): Promise<string> {
  const template = join(TEMPLATE_FOLDER, name)
  if (existsSync(template)) return template
  mkdirSync(TEMPLATE_FOLDER, { recursive: true })
  const dataDir = mkdtempSync(join(TEMPLATE_FOLDER, 'new-'))
  const database = await startEmbedded({ dataDir, poolSize: 1, ...failOnLoss })
  await fill?.(database)
  await database.close()
  try {
    renameSync(join(dataDir, 'database'), template)
  } catch (error) {
    // Test files run side by side: the second one finds the place taken and deletes its own.
    if (!existsSync(template)) throw error
  }
  rmSync(dataDir, { recursive: true, force: true })
  return template
}

function hashMigrations(): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(MIGRATIONS).sort()) {
    hash.update(name).update(readFileSync(join(MIGRATIONS, name)))
  }
  return hash.digest('hex').slice(0, 16)
}
