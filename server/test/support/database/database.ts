// A fresh database for a test, on the engine that SAUTI_TEST_DATABASE names: a new database in the throw-away PostgreSQL, or a
// new data folder with a copy of a prepared database, because making one takes seconds.

import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
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

// The template holds no migrations, so it stays good for as long as the engine's version does.
const TEMPLATE_FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/sauti-tests/', import.meta.url))
const ENGINE_VERSION = '0.5.14'

export function currentEngine(): Engine {
  return process.env.SAUTI_TEST_DATABASE === 'postgres' ? 'postgres' : 'embedded'
}

/** A database that nobody has opened yet. */
export function createTestDatabase(engine: Engine = currentEngine()): Promise<TestDatabase> {
  return engine === 'postgres' ? createInPostgres() : createEmbedded()
}

/** A database with the schema of the service, open. */
export async function openTestDatabase(engine: Engine = currentEngine()): Promise<OpenTestDatabase> {
  const { env, remove } = await createTestDatabase(engine)
  const database = await openDatabase(readConfig({ ...env }), { as: 'service', ...failOnLoss })
  await migrate(database)
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

async function createInPostgres(): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await runOn(server, `CREATE DATABASE ${name}`)
  const dataDir = mkdtempSync(join(tmpdir(), 'sauti-test-'))
  const env = {
    SAUTI_DATABASE_URL: server.replace(/\/postgres$/, `/${name}`),
    SAUTI_SECRET: randomBytes(48).toString('base64'),
    SAUTI_DATA_DIR: dataDir,
  }
  const remove = async () => {
    await runOn(server, `DROP DATABASE ${name} WITH (FORCE)`)
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { env, remove }
}

async function runOn(server: string, sql: string): Promise<void> {
  const database = openPostgres({ connection: server, poolSize: 1, onConnectionLost: fail })
  await database.query(sql)
  await database.close()
}

async function createEmbedded(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sauti-test-'))
  cpSync(await prepareTemplate(), join(dataDir, 'database'), { recursive: true })
  const remove = async () => rmSync(dataDir, { recursive: true, force: true })
  return { env: { SAUTI_DATA_DIR: dataDir }, remove }
}

async function prepareTemplate(): Promise<string> {
  const template = join(TEMPLATE_FOLDER, `database-${ENGINE_VERSION}`)
  if (existsSync(template)) return template
  mkdirSync(TEMPLATE_FOLDER, { recursive: true })
  const dataDir = mkdtempSync(join(TEMPLATE_FOLDER, 'new-'))
  const database = await startEmbedded({ dataDir, poolSize: 1, ...failOnLoss })
  await database.close()
  try {
    renameSync(join(dataDir, 'database'), template)
  } catch (error) {
    // Test files run side by side: whoever comes second finds the place taken and throws its own away.
    if (!existsSync(template)) throw error
  }
  rmSync(dataDir, { recursive: true, force: true })
  return template
}
