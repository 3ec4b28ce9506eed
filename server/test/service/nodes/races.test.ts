// Two nodes race for one credential, one settlement and one idempotency key: there is one winner, every time. In the check a few hundred
// times; SAUTI_TEST_RACES=10000 runs as many.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { settle } from '#server/ledger/settle.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { readConfig } from '#server/settings/config.js'
import {
  currentEngine,
  failOnLoss,
  type OpenTestDatabase,
  openTestDatabase,
} from '../../support/database/database.ts'
import { createHolder, type Holder, mustReserve } from '../../support/database/ledger.ts'
import { registerTestNode, type TestNode } from '../../support/database/nodes.ts'

const RACES = Number(process.env.SAUTI_TEST_RACES ?? 200)
/** Races that run side by side, each with an account of its own. */
const LANES = 8

interface Racer {
  readonly db: Database
  readonly node: TestNode
}

let test: OpenTestDatabase
let racers: [Racer, Racer]
beforeAll(async () => {
  test = await openTestDatabase()
  // On PostgreSQL each node has connections of its own; the embedded database has one node and one engine.
  const other =
    currentEngine() === 'postgres'
      ? await openDatabase(readConfig({ ...test.env }), { as: 'command', ...failOnLoss })
      : test.database
  const join = async (db: Database): Promise<Racer> => ({
    db,
    node: await registerTestNode(db, { capacity: 1_000_000 }),
  })
  racers = [await join(test.database), await join(other)]
})
afterAll(async () => {
  if (racers[1].db !== test.database) await racers[1].db.close()
  await test.close()
})

async function race(holder: Holder): Promise<void> {
  const now = new Date()
  const idempotency = { key: randomUUID(), fingerprint: Buffer.from('same') }
  const created = await Promise.all(
    racers.map(({ db, node }) => mustReserve(db, holder, now, { node, idempotency, requestedMs: 2000 })),
  )
  expect(created.map(({ outcome }) => outcome).sort()).toEqual(['replayed', 'reserved'])
  const [{ sessionId }, twin] = created as [(typeof created)[0], (typeof created)[0]]
  expect({ ...created[0], outcome: '' }).toEqual({ ...twin, outcome: '' })

  const redeemed = await Promise.allSettled(
    racers.map(({ db, node }) => redeemSession(db, { sessionId, nodeId: node.id, now })),
  )
  expect(redeemed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const loser = redeemed.find(one => one.status === 'rejected') as PromiseRejectedResult
  expect(loser.reason).toMatchObject({ code: 'credential_already_used' })

  const endings = ['client_closed', 'internal_error'] as const
  const settled = await Promise.all(
    racers.map(({ db }, index) =>
      settle(db, { sessionId, ending: endings[index]!, acceptedSamples: 16_000, now }),
    ),
  )
  expect(settled.filter(one => one.settled)).toHaveLength(1)
}

it(
  `have one winner, ${RACES} times`,
  async () => {
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      const holder = await createHolder(test.database, new Date(), 1e12, 100)
      for (let round = lane; round < RACES; round += LANES) await race(holder)
    })
    await Promise.all(lanes)
    expect((await verifyLedger(test.database)).discrepancies).toEqual([])
  },
  60_000 + RACES * 200,
)
