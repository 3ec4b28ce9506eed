// An empty database and a folder with two migrations, anew for each test.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { migrate } from '#server/db/migrate.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { readConfig } from '#server/settings/config.js'
import { createTestDatabase, failOnLoss, type TestDatabase } from './database.ts'

export interface MigrationSite {
  readonly database: Database
  readonly folder: string
  /** Another connection to the same database. */
  connect(): Promise<Database>
  migrate(): Promise<string[]>
  write(name: string, sql: string): void
  remove(name: string): void
}

export function useMigrations(): MigrationSite {
  let store: TestDatabase
  let database: Database
  let folder: string
  const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql)
  const open = (as: 'service' | 'command') =>
    openDatabase(readConfig({ ...store.env }), { as, ...failOnLoss })

  beforeAll(async () => {
    store = await createTestDatabase()
    database = await open('service')
  })
  beforeEach(async () => {
    await database.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    folder = mkdtempSync(join(tmpdir(), 'sauti-migrations-'))
    write('0001-first.sql', 'CREATE TABLE first (id int); INSERT INTO first VALUES (1);')
    write('0002-second.sql', 'CREATE TABLE second (id int);')
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  afterAll(async () => {
    await database.close()
    await store.remove()
  })

  return {
    get database() {
      return database
    },
    get folder() {
      return folder
    },
    connect: () => open('command'),
    migrate: () => migrate(database, { folder }),
    write,
    remove: name => rmSync(join(folder, name)),
  }
}
