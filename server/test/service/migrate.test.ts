import { describe, expect, it } from 'vitest'
import { migrate } from '#server/db/migrate.js'
import { useMigrations } from '../support/database/migrations.ts'

const site = useMigrations()

describe('migrate', () => {
  it('applies what is missing, in order and once', async () => {
    expect(await site.migrate()).toEqual(['0001-first.sql', '0002-second.sql'])
    expect(await site.migrate()).toEqual([])
    site.write('0003-third.sql', 'CREATE TABLE third (id int);')
    expect(await site.migrate()).toEqual(['0003-third.sql'])
    expect(await site.database.query('SELECT id FROM first')).toEqual([{ id: 1 }])
  })

  it('does it once when several processes start at the same moment', async () => {
    const commands = await Promise.all(Array.from({ length: 4 }, () => site.connect()))
    const applied = await Promise.all([site.database, ...commands].map(one => migrate(one, site)))
    expect(applied.flat().sort()).toEqual(['0001-first.sql', '0002-second.sql'])
    expect(await site.database.query('SELECT id FROM first')).toEqual([{ id: 1 }])
    await Promise.all(commands.map(command => command.close()))
  })

  it('keeps nothing of a migration that fails, and everything before it', async () => {
    site.write('0003-broken.sql', 'CREATE TABLE third (id int); SELECT no_such_thing;')
    await expect(site.migrate()).rejects.toThrow('no_such_thing')
    site.write('0003-broken.sql', 'CREATE TABLE third (id int);')
    expect(await site.migrate()).toEqual(['0003-broken.sql'])
  })

  it('applies a migration that was merged late, although a higher number is there already', async () => {
    site.write('0009-ninth.sql', 'CREATE TABLE ninth (id int);')
    expect(await site.migrate()).toEqual(['0001-first.sql', '0002-second.sql', '0009-ninth.sql'])
    site.write('0004-late.sql', 'CREATE TABLE late (id int);')
    expect(await site.migrate()).toEqual(['0004-late.sql'])
    expect(await site.migrate()).toEqual([])
  })

  it('lets a program start on a database that a newer one has only added to', async () => {
    site.write('0003-third.sql', 'CREATE TABLE third (id int);')
    await site.migrate()
    site.remove('0003-third.sql')
    expect(await site.migrate()).toEqual([])
  })

  it('refuses a database from which a newer program has taken something away', async () => {
    site.write('0003-less.sql', '-- contract: nothing reads second any more\nDROP TABLE second;')
    await site.migrate()
    site.remove('0003-less.sql')
    await expect(site.migrate()).rejects.toThrow(
      'the database is newer than this program can use: it has the migration 0003-less.sql',
    )
  })

  it('refuses a history that was changed', async () => {
    await site.migrate()
    site.write('0001-first.sql', 'CREATE TABLE first (id bigint);')
    await expect(site.migrate()).rejects.toThrow('0001-first.sql was changed after it was applied')
  })

  it.each([
    ['0002-twin.sql', 'has the number of 0002-second.sql'],
    ['third.sql', 'must be named like'],
  ])('refuses %s', async (name, message) => {
    site.write(name, 'SELECT 1')
    await expect(site.migrate()).rejects.toThrow(message)
  })
})
