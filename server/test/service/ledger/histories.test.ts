// Random histories of many accounts at once: whatever happens, in whatever order, the books agree.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expireReservations, failSessionsOfGoneNodes } from '#server/ledger/expire.js'
import { grantCredit } from '#server/ledger/grant.js'
import { isReservation, type Reservation } from '#server/ledger/reserve.js'
import { settle } from '#server/ledger/settle.js'
import { readUsage } from '#server/ledger/usage.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { markGone } from '#server/nodes/registry.js'
import { ENDINGS, type StreamEnding } from '#server/sessions/lifecycle.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { type OpenTestDatabase, openTestDatabase } from '../../support/database/database.ts'
import { createHolder, type Holder, tryReserve } from '../../support/database/ledger.ts'
import { registerTestNode, type TestNode } from '../../support/database/nodes.ts'

let test: OpenTestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
})
afterAll(() => test.close())

const ACCOUNTS = 4
const STREAM_ENDINGS = Object.keys(ENDINGS).filter(
  ending => ENDINGS[ending as keyof typeof ENDINGS].from === 'active',
) as StreamEnding[]

type Action = { readonly account: number } & (
  | { readonly type: 'grant'; readonly ms: number }
  | { readonly type: 'create'; readonly seconds: number; readonly key: number | undefined }
  | { readonly type: 'open' }
  | { readonly type: 'end'; readonly ending: StreamEnding; readonly samples: number }
  | { readonly type: 'sweep' }
  | { readonly type: 'lose node' }
)

const account = fc.nat({ max: ACCOUNTS - 1 })
// Few keys and few lengths, so that equal and conflicting requests meet.
const create = fc.record({
  type: fc.constant('create' as const),
  account,
  seconds: fc.constantFrom(1, 5, 60),
  key: fc.option(fc.nat({ max: 1 }), { nil: undefined }),
})
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('grant' as const),
      account,
      ms: fc.integer({ min: 1, max: 9_999 }),
    }),
  },
  { weight: 5, arbitrary: create },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('open' as const), account }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      account,
      ending: fc.constantFrom(...STREAM_ENDINGS),
      samples: fc.nat({ max: 70 * 16_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('sweep' as const), account }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lose node' as const), account }) },
)
/** Actions of one step happen at the same moment; between steps time passes. */
const history = fc.array(
  fc.record({
    actions: fc.array(action, { minLength: 1, maxLength: 12 }),
    pauseMs: fc.constantFrom(1, 1_000, 61_000),
  }),
  { minLength: 1, maxLength: 8 },
)

class World {
  readonly limit: number
  readonly holders: Holder[]
  readonly grantedMs = new Map<string, number>()
  readonly answers = new Map<string, Reservation>()
  now = new Date('2030-01-01T00:00:00Z')
  node: TestNode

  constructor(holders: Holder[], limit: number, creditMs: number, node: TestNode) {
    this.node = node
    this.holders = holders
    this.limit = limit
    for (const { accountId } of holders) this.grantedMs.set(accountId, creditMs)
  }

  async perform(step: Action): Promise<void> {
    const holder = this.holders[step.account]!
    const db = test.database
    switch (step.type) {
      case 'grant':
        this.grantedMs.set(holder.accountId, this.grantedMs.get(holder.accountId)! + step.ms)
        await grantCredit(db, { accountId: holder.accountId, amountMs: step.ms, note: null, now: this.now })
        return
      case 'create':
        return this.create(holder, step.seconds, step.key)
      case 'open':
        for (const sessionId of await this.sessions(holder, 'reserved')) await this.open(sessionId)
        return
      case 'end': {
        const end = { ending: step.ending, acceptedSamples: step.samples, now: this.now }
        for (const sessionId of await this.sessions(holder, 'active')) await settle(db, { sessionId, ...end })
        return
      }
      case 'sweep':
        await expireReservations(db, this.now)
        return
      case 'lose node':
        // The service comes back as another node and finds the sessions of the old one.
        await markGone(db, this.node.id)
        this.node = await registerTestNode(db)
        await failSessionsOfGoneNodes(db, this.now)
    }
  }

  async create(holder: Holder, seconds: number, key: number | undefined): Promise<void> {
    const idempotency =
      key === undefined ? undefined : { key: `key ${key}`, fingerprint: Buffer.from([seconds]) }
    const order = { requestedMs: seconds * 1000, node: this.node, idempotency }
    const answer = await tryReserve(test.database, holder, this.now, order)
    if (!isReservation(answer)) return
    expect(answer.reservedMs).toBeGreaterThanOrEqual(1000)
    expect(answer.reservedMs).toBeLessThanOrEqual(seconds * 1000)
    const { outcome, ...facts } = answer
    const known = this.answers.get(answer.sessionId)
    // When equal requests are sent at the same time, the replayed answer may arrive before the original one.
    if (known) expect({ ...known, outcome: undefined }).toEqual({ ...facts, outcome: undefined })
    this.answers.set(answer.sessionId, { outcome, ...facts })
  }

  async open(sessionId: string): Promise<void> {
    const refused = await redeemSession(test.database, {
      sessionId,
      nodeId: this.node.id,
      now: this.now,
    }).then(
      () => undefined,
      (error: { code: string }) => error.code,
    )
    expect([undefined, 'expired_credential', 'credential_already_used']).toContain(refused)
  }

  async sessions({ accountId }: Holder, status: string): Promise<string[]> {
    const rows = await test.database.query<{ id: string }>(
      'SELECT id FROM sessions WHERE account_id = $1 AND status = $2',
      [accountId, status],
    )
    return rows.map(({ id }) => id)
  }

  async check(): Promise<void> {
    expect((await verifyLedger(test.database)).discrepancies).toEqual([])
    for (const { accountId } of this.holders) {
      const { grantedMs, availableMs, reservedMs, consumedMs } = await readUsage(
        test.database,
        accountId,
        this.now,
      )
      expect(Math.min(availableMs, reservedMs, consumedMs)).toBeGreaterThanOrEqual(0)
      expect(availableMs + reservedMs + consumedMs).toBe(grantedMs)
      expect(grantedMs).toBe(this.grantedMs.get(accountId))
      const open = await test.database.query(
        `SELECT FROM sessions WHERE account_id = $1 AND status IN ('reserved', 'active')`,
        [accountId],
      )
      expect(open.length).toBeLessThanOrEqual(this.limit)
    }
  }
}

describe('a history of grants, creations, replays, conflicts, expiries and settlements', () => {
  it('keeps the ledger correct, whatever happens at the same moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.constantFrom(1, 2),
        fc.constantFrom(3_000, 70_500),
        async (steps, limit, creditMs) => {
          const start = new Date('2030-01-01T00:00:00Z')
          const creations = Array.from({ length: ACCOUNTS }, () =>
            createHolder(test.database, start, creditMs, limit),
          )
          const node = await registerTestNode(test.database)
          const world = new World(await Promise.all(creations), limit, creditMs, node)
          for (const { actions, pauseMs } of steps) {
            await Promise.all(actions.map(one => world.perform(one)))
            await world.check()
            world.now = new Date(world.now.getTime() + pauseMs)
          }
        },
      ),
      { numRuns: 25, endOnFailure: true },
    )
  })
})
