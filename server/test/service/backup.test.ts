// Everything into a file while the service writes, and back into an empty database.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { backUp, restore } from '#server/db/backup/file.js'
import { grantCredit } from '#server/ledger/grant.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { contentOf, openBlank, openUsed } from '../support/database/used.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a backup', () => {
  it('brings back every row, and the database works on', async () => {
    const { database, holder } = await openUsed()
    const file = join(newFolder(), 'backup')
    const rows = await backUp(database, file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const restored = await openBlank()
    expect(await restore(restored, file)).toBe(rows)
    expect(await contentOf(restored)).toEqual(await contentOf(database))
    const grant = { accountId: holder.accountId, amountMs: 5000, note: null, now: new Date() }
    expect(await grantCredit(restored, grant)).toBe(true)
    expect((await verifyLedger(restored)).discrepancies).toEqual([])
    await expect(restored.query('UPDATE ledger_entries SET available_ms = 1')).rejects.toThrow('append-only')
  })

  it('is a snapshot, however much is written meanwhile', async () => {
    const { database, holder } = await openUsed()
    const file = join(newFolder(), 'backup')
    let isDone = false
    const writing = (async () => {
      while (!isDone)
        await grantCredit(database, {
          accountId: holder.accountId,
          amountMs: 1000,
          note: null,
          now: new Date(),
        })
    })()
    await backUp(database, file)
    isDone = true
    await writing
    const restored = await openBlank()
    await restore(restored, file)
    expect((await verifyLedger(restored)).discrepancies).toEqual([])
  })

  it('goes only into an empty database, and leaves another one as it is', async () => {
    const { database } = await openUsed()
    const file = join(newFolder(), 'backup')
    await backUp(database, file)
    const before = await contentOf(database)
    await expect(restore(database, file)).rejects.toThrow('not empty')
    expect(await contentOf(database)).toEqual(before)
    expect((await verifyLedger(database)).discrepancies).toEqual([])
  })

  it('that is cut off, or is another file, is refused, and nothing of it is kept', async () => {
    const { database } = await openUsed()
    const folder = newFolder()
    await backUp(database, join(folder, 'whole'))
    const whole = readFileSync(join(folder, 'whole'))
    writeFileSync(join(folder, 'cut'), whole.subarray(0, whole.length / 2))
    writeFileSync(join(folder, 'other'), 'something else')
    const restored = await openBlank()
    await expect(restore(restored, join(folder, 'cut'))).rejects.toThrow()
    await expect(restore(restored, join(folder, 'other'))).rejects.toThrow()
    await expect(restore(restored, join(folder, 'missing'))).rejects.toThrow('ENOENT')
    expect(await restore(restored, join(folder, 'whole'))).toBeGreaterThan(1500)
  })
})
