// A short part of `npm run faults -- --suite nodes`, always from the same seed: one of two nodes is killed while clients use both.

import { expect, it } from 'vitest'
import { Installation } from '../faults/installation.ts'
import { runLot } from '../faults/lot.ts'
import { planLot } from '../faults/plan.ts'
import { createTestDatabase } from '../support/database/database.ts'

it('two nodes keep one set of books while one of them is killed', async () => {
  const store = await createTestDatabase('postgres')
  const [first, second] = await Installation.createNodes(2, store.env.SAUTI_DATABASE_URL)
  try {
    const lot = planLot(7, { histories: 6, kind: 'node-killed' })
    const { problems, told } = await runLot(lot, [first!, second!])
    expect(problems).toEqual([])
    expect(told.flatMap(({ attempts }) => attempts).some(({ exists }) => exists)).toBe(true)
  } finally {
    await first!.stop()
    await second!.stop()
    await store.remove()
  }
}, 600_000)
