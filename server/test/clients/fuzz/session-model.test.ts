// Sequences of messages by a model of the session: whatever is said in whatever order, the service answers what the model owes.

import { LOOK_AHEADS } from '@sauti/protocol/audio'
import type { ServerEvent } from '@sauti/protocol/stream'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FUZZ_TIMEOUT_MS, fuzz } from '../../support/fuzzing.ts'
import { createCustomer } from '../../support/service/customer.ts'
import { FrontDoor } from '../../support/service/front-door.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import type { StreamClient } from '../../support/streams/stream-client.ts'

const SESSION_SECONDS = 3
const SAMPLE_RATE_HZ = 16_000
const MAX_INVALID = 4

/** What the protocol promises, written without any of the service's code. */
interface Model {
  samples: number
  hasHalf: boolean
  underWay: boolean
  utterance: number
  invalid: number
  lookAhead: number
}

type Step = fc.AsyncCommand<Model, StreamClient>

/** The next event that is not a delta. */
async function answer(client: StreamClient): Promise<ServerEvent> {
  for (;;) {
    const event = await client.nextEvent()
    if (event.type !== 'delta') return event
  }
}

class Audio implements Step {
  readonly #bytes: number

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /** Audio beyond the reservation ends the session; other tests cover that. */
  check({ samples }: Readonly<Model>): boolean {
    return samples + this.#bytes / 2 + 1 < SESSION_SECONDS * SAMPLE_RATE_HZ
  }

  async run(model: Model, client: StreamClient): Promise<void> {
    client.audio(Buffer.alloc(this.#bytes, 7))
    const bytes = this.#bytes + (model.hasHalf ? 1 : 0)
    if (this.#bytes === 0) return
    model.samples += Math.floor(bytes / 2)
    model.hasHalf = bytes % 2 === 1
    if (bytes >= 2) model.underWay = true
  }

  toString(): string {
    return `audio(${this.#bytes})`
  }
}

class Flush implements Step {
  check(): boolean {
    return true
  }

  async run(model: Model, client: StreamClient): Promise<void> {
    client.flush()
    const billable = Math.ceil(model.samples / SAMPLE_RATE_HZ) * 1000
    expect(await answer(client)).toMatchObject({
      type: 'final',
      utterance: model.utterance,
      audio_ms: Math.floor(model.samples / 16),
      billable_ms: billable,
      remaining_ms: Math.floor((SESSION_SECONDS * SAMPLE_RATE_HZ - model.samples) / 16),
    })
    model.utterance += 1
    model.underWay = false
  }

  toString(): string {
    return 'flush'
  }
}

class Reset implements Step {
  check(): boolean {
    return true
  }

  async run(model: Model, client: StreamClient): Promise<void> {
    client.reset()
    model.utterance += 1
    model.underWay = false
    model.hasHalf = false
    expect(await answer(client)).toMatchObject({ type: 'reset_ack', utterance: model.utterance })
  }

  toString(): string {
    return 'reset'
  }
}

class Configure implements Step {
  readonly #lookAhead: (typeof LOOK_AHEADS)[number] | undefined

  constructor(lookAhead: (typeof LOOK_AHEADS)[number] | undefined) {
    this.#lookAhead = lookAhead
  }

  check(): boolean {
    return true
  }

  async run(model: Model, client: StreamClient): Promise<void> {
    client.config(this.#lookAhead === undefined ? {} : { context: [56, this.#lookAhead] })
    const event = await answer(client)
    if (model.underWay && this.#lookAhead !== undefined) {
      expect(event).toMatchObject({ type: 'error', code: 'config_not_allowed', fatal: false })
      return
    }
    // A bare config between utterances puts the defaults back; during one it only keeps the session alive.
    if (!model.underWay) model.lookAhead = this.#lookAhead ?? LOOK_AHEADS[0]
    expect(event).toMatchObject({
      type: 'config_ack',
      context: [56, model.lookAhead],
      chunk_samples: (model.lookAhead + 1) * 1280,
    })
  }

  toString(): string {
    return `config(${this.#lookAhead ?? ''})`
  }
}

class Mistake implements Step {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  check({ invalid }: Readonly<Model>): boolean {
    return invalid < MAX_INVALID
  }

  async run(model: Model, client: StreamClient): Promise<void> {
    client.text(this.#text)
    model.invalid += 1
    expect(await answer(client)).toMatchObject({ type: 'error', fatal: false })
  }

  toString(): string {
    return `mistake(${JSON.stringify(this.#text)})`
  }
}

const mistakes = fc.oneof(
  fc.constantFrom(
    '',
    '?',
    '[]',
    'null',
    '7',
    '{}',
    '{"type":null}',
    '{"type":"Flush"}',
    '{"type":"config","context":[]',
    '{"type":"config","language":""}',
  ),
  fc.jsonValue().map(value => JSON.stringify({ type: 'config', context: { value } })),
  fc.string({ maxLength: 30 }).map(text => JSON.stringify({ type: `x${text}` })),
)

const steps = fc.commands(
  [
    fc.oneof(fc.nat(9), fc.nat(30_000)).map(bytes => new Audio(bytes)),
    fc.constant(new Flush()),
    fc.constant(new Reset()),
    fc.option(fc.constantFrom(...LOOK_AHEADS), { nil: undefined }).map(lookAhead => new Configure(lookAhead)),
    mistakes.map(text => new Mistake(text)),
  ],
  { maxCommands: 40 },
)

let service: TestService
beforeAll(async () => {
  const rates = {
    SAUTI_MAX_STREAMS: '64',
    SAUTI_SESSION_CREATIONS_PER_MINUTE: '1000000',
    SAUTI_USAGE_READS_PER_MINUTE: '1000000',
  }
  service = await startTestService({ env: rates })
})
afterAll(() => service.stop())

it(
  'any sequence of messages is answered as the model says, and billed so',
  async () => {
    const door = new FrontDoor(service)
    const runs = await fuzz(
      fc.asyncProperty(steps, async commands => {
        const customer = await createCustomer(service.database, new Date(), { creditMs: 60_000 })
        const client = await door.connect(customer, SESSION_SECONDS)
        const model: Model = {
          samples: 0,
          hasHalf: false,
          underWay: false,
          utterance: 1,
          invalid: 0,
          lookAhead: 13,
        }
        try {
          await fc.asyncModelRun(() => ({ model, real: client }), commands)
          expect((await client.close()).code).toBe(1000)
        } finally {
          client.socket.terminate()
        }
        const billed = Math.ceil(model.samples / SAMPLE_RATE_HZ) * 1000
        expect(await door.ended(customer)).toMatchObject({
          status: 'completed',
          audio_ms: Math.floor(model.samples / 16),
          billable_ms: billed,
        })
      }),
      15,
    )
    expect(runs).toBeGreaterThan(0)
  },
  FUZZ_TIMEOUT_MS,
)
