// Frames by the million, at the level of bytes: the service goes on, every session is settled, and every close is one of the table.

import { ERRORS, type ErrorEntry } from '@sauti/protocol/errors'
import type { AsrSession } from '@sauti/protocol/http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FUZZ_SEED, FUZZ_TIMEOUT_MS, fuzzSeeds } from '../../support/fuzzing.ts'
import { expectAllSettled } from '../../support/service/all-settled.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { FrontDoor } from '../../support/service/front-door.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import { storm } from '../../support/streams/frame-storm.ts'

const AT_ONCE = 6
const SESSION_SECONDS = 5
/** Closes of the table, those that answer a client's own close, and none at all. */
const CLOSES = new Set<number | undefined>([
  ...Object.values<ErrorEntry>(ERRORS).map(({ close }) => close),
  1000,
  1005,
])

let service: TestService
let customer: Customer
beforeAll(async () => {
  service = await startTestService({
    env: {
      // Sessions of clients that vanished are still there for a while.
      SAUTI_MAX_STREAMS: '1000',
      SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000',
      SAUTI_USAGE_READS_PER_MINUTE: '1000000',
    },
  })
  customer = await createCustomer(service.database, new Date(), { creditMs: 1e12, concurrency: 1000 })
})
afterAll(() => service.stop())

it(
  'no frame ends more than its own stream',
  async () => {
    const door = new FrontDoor(service)
    const count = { frames: 0, streams: 0, ready: 0, closes: new Map<string, number>() }
    const seeds = fuzzSeeds(24)
    async function rage(): Promise<void> {
      for (const seed of seeds) {
        const session = await createPatiently(door)
        const { frames, close, isReady } = await storm(service, session, seed).catch(error => {
          throw new Error(`seed ${seed}: ${error.message}`, { cause: error })
        })
        expect(CLOSES, `seed ${seed}: closed with ${close?.code} ${close?.reason}`).toContain(close?.code)
        count.frames += frames
        count.streams += 1
        if (isReady) count.ready += 1
        const ending = `${close?.code ?? 'none'} ${close?.reason ?? ''}`
        count.closes.set(ending, (count.closes.get(ending) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, rage))
    process.stdout.write(
      `${JSON.stringify({ seed: FUZZ_SEED, ...count, closes: Object.fromEntries(count.closes) })}\n`,
    )

    expect(count.ready).toBeGreaterThan(count.streams / 2)
    await expectAllSettled(service)
    expect((await door.http('GET', '/healthz')).status).toBe(200)
  },
  FUZZ_TIMEOUT_MS,
)

/** An engine that is behind takes nobody new: that is a refusal, and passes. */
async function createPatiently(door: FrontDoor): Promise<AsrSession> {
  for (;;) {
    try {
      return await door.createSession(customer, SESSION_SECONDS)
    } catch (error) {
      if (!String(error).includes('capacity_exceeded')) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}
