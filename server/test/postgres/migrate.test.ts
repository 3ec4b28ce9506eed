// Migrations while others use the database. The embedded database has one connection, so nothing can block a migration there.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '#server/db/migrate.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { readConfig } from '#server/settings/config.js'
import { createTestDatabase, failOnLoss, type TestDatabase } from '../support/database/database.ts'

let folder: string
let store: TestDatabase
let database: Database

beforeAll(async () => {
  store = await createTestDatabase()
  database = await openDatabase(readConfig({ ...store.env }), { as: 'service', ...failOnLoss })
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

function write(name: string, sql: string): void {
  writeFileSync(join(folder, name), sql)
}

describe('migrate', () => {
  it('waits for a table that somebody reads without making others wait', async () => {
    await migrate(database, { folder })
    write('0003-wider.sql', 'ALTER TABLE first ADD COLUMN more int;')
    const reader = await openDatabase(readConfig({ ...store.env }), { as: 'command', ...failOnLoss })
    let migrating: Promise<string[]> | undefined
    await reader.transaction(async tx => {
      await tx.query('SELECT FROM first')
      migrating = migrate(database, { folder })
      await wait(1000)
      // The migration has released its lock request, so that a reader gets the table at once.
      expect(await database.query('SELECT id FROM first')).toEqual([{ id: 1 }])
    })
    expect(await migrating).toEqual(['0003-wider.sql'])
    await reader.close()
  })

  it('retries after a deadlock with a running node, and that node notices nothing', async () => {
    await migrate(database, { folder })
    write('0003-both.sql', 'ALTER TABLE first ADD COLUMN more int; ALTER TABLE second ADD COLUMN more int;')
    const node = await openDatabase(readConfig({ ...store.env }), { as: 'command', ...failOnLoss })
    let migrating: Promise<string[]> | undefined
    await node.transaction(async tx => {
      await tx.query('SELECT FROM second')
      migrating = migrate(database, { folder })
      migrating.catch(() => undefined)
      await expect
        .poll(() => node.query(`SELECT FROM pg_locks WHERE NOT granted AND relation = 'second'::regclass`))
        .toHaveLength(1)
      expect(await tx.query('SELECT id FROM first')).toEqual([{ id: 1 }])
    })
    expect(await migrating).toEqual(['0003-both.sql'])
    await node.close()
  })
})
