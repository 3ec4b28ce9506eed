// Audio of every bit pattern, in every encoding: the recogniser goes on, and what it says is well-formed.

import { SAMPLE_RATES_HZ } from '@sauti/protocol/audio'
import type { AudioSettings } from '@sauti/protocol/stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Dice, FUZZ_TIMEOUT_MS, fuzzSeeds } from '../../support/fuzzing.ts'
import { MODELS_DIR } from '../../support/recogniser/samples.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { FrontDoor } from '../../support/service/front-door.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import type { EventOf } from '../../support/streams/stream-client.ts'

let service: TestService
let customer: Customer
beforeAll(async () => {
  service = await startTestService({
    env: {
      SAUTI_MODELS_DIR: MODELS_DIR,
      SAUTI_MAX_STREAMS: '64',
      SAUTI_SESSION_CREATIONS_PER_MINUTE: '100000',
    },
  })
  customer = await createCustomer(service.database, new Date(), { creditMs: 1e12, concurrency: 10 })
})
afterAll(() => service.stop())

const FRAME_BYTES = 32_000

async function hear(bytes: Buffer, audio?: AudioSettings): Promise<EventOf<'final'>> {
  const client = await new FrontDoor(service).connect(customer, 60)
  if (audio) {
    client.config({ audio })
    await client.next('config_ack')
  }
  for (let from = 0; from < bytes.length; from += FRAME_BYTES)
    client.audio(bytes.subarray(from, from + FRAME_BYTES))
  client.flush()
  const final = await client.next('final')
  expect((await client.close()).code).toBe(1000)
  return final
}

function expectWellFormed({ text, words, audio_ms }: EventOf<'final'>): void {
  expect(Buffer.from(text).toString()).toBe(text)
  expect(words.map(word => word.text).join(' ')).toBe(text)
  for (const { start_ms, end_ms, confidence } of words) {
    expect(confidence).toBeGreaterThanOrEqual(0)
    expect(confidence).toBeLessThanOrEqual(1)
    expect(start_ms).toBeLessThanOrEqual(end_ms)
    expect(end_ms).toBeLessThanOrEqual(audio_ms)
  }
}

/** Every value that a sample can have, upwards. */
function everySample(): Buffer {
  return Buffer.from(Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768).buffer)
}

/** `count` samples made one by one. */
function samples(count: number, make: (index: number) => number): Buffer {
  return Buffer.from(Int16Array.from({ length: count }, (_, index) => make(index)).buffer)
}

const PATTERNS: Readonly<Record<string, () => Buffer>> = {
  'every sample, upwards': everySample,
  'every sample, downwards': () => Buffer.from(everySample().reverse()),
  'the loudest square wave': () => samples(48_000, index => (index % 2 === 0 ? 32_767 : -32_768)),
  'the lowest value': () => samples(48_000, () => -32_768),
  'the highest value': () => samples(48_000, () => 32_767),
  silence: () => samples(48_000, () => 0),
  'the smallest step': () => samples(48_000, index => index % 2),
  'one click': () => samples(48_000, index => (index === 24_000 ? 32_767 : 0)),
  'every single bit': () => samples(48_000, index => ((1 << (index % 16)) << 16) >> 16),
}

it.each(Object.entries(PATTERNS))('%s is transcribed', async (_, make) => {
  const bytes = make()
  const final = await hear(bytes)
  expectWellFormed(final)
  expect(final.audio_ms).toBe(Math.floor(bytes.length / 32))
})

it.each(['mulaw', 'alaw'] as const)('every value of %s is accepted, at every rate', async encoding => {
  for (const sample_rate_hz of SAMPLE_RATES_HZ) {
    const bytes = Buffer.from(Uint8Array.from({ length: sample_rate_hz }, (_, index) => index % 256))
    expectWellFormed(await hear(bytes, { encoding, sample_rate_hz }))
  }
})

it(
  'any bytes are accepted',
  async () => {
    for (const seed of fuzzSeeds(10)) {
      const dice = new Dice(seed)
      const bytes = dice.bytes(1 + dice.roll(200_000))
      const final = await hear(bytes).catch(cause => {
        throw new Error(`seed ${seed}`, { cause })
      })
      expectWellFormed(final)
    }
  },
  FUZZ_TIMEOUT_MS,
)
