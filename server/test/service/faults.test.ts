// A short part of `npm run faults`, always from the same seed: the service is killed, or loses its database, while clients use it.

import { expect, it } from 'vitest'
import { Installation } from '../faults/installation.ts'
import { runLot } from '../faults/lot.ts'
import { planLot } from '../faults/plan.ts'
import { createTestDatabase, currentEngine } from '../support/database/database.ts'

const SEED = 7
const HISTORIES = 6

it('keeps the ledger correct during faults', async () => {
  const database = currentEngine()
  const store = await createTestDatabase()
  const installation = await Installation.create(database, store.env.SAUTI_DATABASE_URL)
  try {
    const kind = database === 'postgres' ? 'database-gone' : 'kill'
    const { problems, told } = await runLot(planLot(SEED, { histories: HISTORIES, kind, database }), [
      installation,
    ])
    expect(problems).toEqual([])
    expect(told.flatMap(({ attempts }) => attempts).some(({ exists }) => exists)).toBe(true)
  } finally {
    await installation.stop()
    await store.remove()
  }
}, 600_000)
