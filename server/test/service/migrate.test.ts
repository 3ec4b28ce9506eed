import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '#server/config.js'
import { migrate } from '#server/db/migrate.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { createTestDatabase, failOnLoss, type TestDatabase } from '../support/database.ts'

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
  it('applies what is missing, in order and once', async () => {
    expect(await migrate(database, folder)).toEqual(['0001-first.sql', '0002-second.sql'])
    expect(await migrate(database, folder)).toEqual([])
    write('0003-third.sql', 'CREATE TABLE third (id int);')
    expect(await migrate(database, folder)).toEqual(['0003-third.sql'])
    expect(await database.query('SELECT id FROM first')).toEqual([{ id: 1 }])
  })

  it('does it once when several processes start at the same moment', async () => {
    const commands = await Promise.all(
      Array.from({ length: 4 }, () =>
        openDatabase(readConfig({ ...store.env }), { as: 'command', ...failOnLoss }),
      ),
    )
    const applied = await Promise.all([database, ...commands].map(one => migrate(one, folder)))
    expect(applied.flat().sort()).toEqual(['0001-first.sql', '0002-second.sql'])
    expect(await database.query('SELECT id FROM first')).toEqual([{ id: 1 }])
    await Promise.all(commands.map(command => command.close()))
  })

  it('keeps nothing of a migration that fails, and everything before it', async () => {
    write('0003-broken.sql', 'CREATE TABLE third (id int); SELECT no_such_thing;')
    await expect(migrate(database, folder)).rejects.toThrow('no_such_thing')
    write('0003-broken.sql', 'CREATE TABLE third (id int);')
    expect(await migrate(database, folder)).toEqual(['0003-broken.sql'])
  })

  it('refuses a database that is newer than the program', async () => {
    await migrate(database, folder)
    rmSync(join(folder, '0002-second.sql'))
    await expect(migrate(database, folder)).rejects.toThrow(
      'the database is newer than this program: it has the migration 0002-second.sql',
    )
  })

  it('refuses a history that was changed', async () => {
    await migrate(database, folder)
    write('0001-first.sql', 'CREATE TABLE first (id bigint);')
    await expect(migrate(database, folder)).rejects.toThrow('0001-first.sql was changed after it was applied')
  })

  it.each([
    ['0004-gap.sql', 'must have the number 3'],
    ['0002-twin.sql', 'must have the number 3'],
    ['third.sql', 'must be named like'],
  ])('refuses %s', async (name, message) => {
    write(name, 'SELECT 1')
    await expect(migrate(database, folder)).rejects.toThrow(message)
  })
})
