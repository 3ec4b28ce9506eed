// Migrations while others use the database. The embedded database has one connection, so nothing can block a migration there.

import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { useMigrations } from '../support/database/migrations.ts'

const site = useMigrations()

describe('migrate', () => {
  it('waits for a table that somebody reads without making others wait', async () => {
    await site.migrate()
    site.write('0003-wider.sql', 'ALTER TABLE first ADD COLUMN more int;')
    const reader = await site.connect()
    let migrating: Promise<string[]> | undefined
    await reader.transaction(async tx => {
      await tx.query('SELECT FROM first')
      migrating = site.migrate()
      await wait(1000)
      // The migration has released its lock request, so that a reader gets the table at once.
      expect(await site.database.query('SELECT id FROM first')).toEqual([{ id: 1 }])
    })
    expect(await migrating).toEqual(['0003-wider.sql'])
    await reader.close()
  })

  it('retries after a deadlock with a running node, and that node notices nothing', async () => {
    await site.migrate()
    site.write(
      '0003-both.sql',
      'ALTER TABLE first ADD COLUMN more int; ALTER TABLE second ADD COLUMN more int;',
    )
    const node = await site.connect()
    let migrating: Promise<string[]> | undefined
    await node.transaction(async tx => {
      await tx.query('SELECT FROM second')
      migrating = site.migrate()
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
