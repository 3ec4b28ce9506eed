// From the embedded database to PostgreSQL.

import { describe, expect, it } from 'vitest'
import { copyDatabase } from '#server/db/backup/copy.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { contentOf, openBlank, openUsed } from '../support/database/used.ts'

describe('moving from the embedded database to PostgreSQL', () => {
  it('loses nothing', async () => {
    const { database: embedded } = await openUsed('embedded')
    const postgres = await openBlank('postgres')
    const rows = await copyDatabase(embedded, postgres)
    expect(rows).toBeGreaterThan(1500)
    expect(await contentOf(postgres)).toEqual(await contentOf(embedded))
    expect((await verifyLedger(postgres)).discrepancies).toEqual([])
    await expect(copyDatabase(embedded, postgres)).rejects.toThrow('not empty')
  })
})
