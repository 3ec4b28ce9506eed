// Random conversations compared with a small model of what a session owes its client and its account.

import { LOOK_AHEADS } from '@sauti/protocol/audio'
import type { ServerEvent } from '@sauti/protocol/stream'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import type { StreamClient } from '../../support/streams/stream-client.ts'

const SAMPLES_A_SECOND = 16_000
const MAX_INVALID = 5

type Action =
  | { type: 'audio'; bytes: number }
  | { type: 'flush' }
  | { type: 'reset' }
  | { type: 'config'; lookAhead: (typeof LOOK_AHEADS)[number] | undefined }
  | { type: 'invalid' }
  | { type: 'stall'; stalled: boolean }
  | { type: 'wait' }

type Fault = 'close' | 'vanish' | 'engine' | 'oversize'

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('audio' as const), bytes: fc.oneof(fc.nat(9), fc.nat(20_000)) }),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'flush' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'reset' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('config' as const),
      lookAhead: fc.option(fc.constantFrom(...LOOK_AHEADS), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'invalid' as const }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('stall' as const), stalled: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ type: 'wait' as const }) },
)

const conversation = fc.record({
  seconds: fc.integer({ min: 1, max: 4 }),
  actions: fc.array(action, { maxLength: 40 }),
  fault: fc.constantFrom<Fault>('close', 'close', 'vanish', 'engine', 'oversize'),
})

/** What the protocol promises for what was sent, written without any of the service's code. */
class Model {
  acceptedSamples = 0
  /** Answers, in the order of the requests. */
  readonly answers: string[] = []
  warnings = 0
  end: 'audio_limit_reached' | 'too_many_invalid_messages' | undefined
  readonly #limit: number
  #oddByte = false
  #underWay = false
  #invalid = 0

  constructor(seconds: number) {
    this.#limit = seconds * SAMPLES_A_SECOND
  }

  see(next: Action): void {
    if (this.end) return
    if (next.type === 'audio') this.#hear(next.bytes)
    else if (next.type === 'flush') this.#answer('final', false)
    else if (next.type === 'reset') {
      this.#oddByte = false
      this.#answer('reset_ack', false)
    } else if (next.type === 'config') this.#configure(next.lookAhead === undefined)
    else if (next.type === 'invalid') this.#misunderstand()
  }

  #hear(bytes: number): void {
    if (bytes === 0) return
    const available = bytes + (this.#oddByte ? 1 : 0)
    const whole = Math.floor(available / 2)
    const room = this.#limit - this.acceptedSamples
    this.#oddByte = available % 2 === 1
    this.acceptedSamples += Math.min(whole, room)
    if (Math.min(whole, room) > 0) this.#underWay = true
    if (whole <= room) return
    this.end = 'audio_limit_reached'
    this.answers.push('final')
  }

  #answer(answer: string, underWay: boolean): void {
    this.#underWay = underWay
    this.answers.push(answer)
  }

  #configure(isBare: boolean): void {
    if (this.#underWay && !isBare) this.warnings += 1
    else this.answers.push('config_ack')
  }

  #misunderstand(): void {
    this.#invalid += 1
    if (this.#invalid < MAX_INVALID) this.warnings += 1
    else this.end = 'too_many_invalid_messages'
    // What was said is finalised.
    if (this.end && this.#underWay) this.answers.push('final')
  }
}

const recogniser = new ScriptedRecogniser()
let service: ScriptedService
beforeAll(async () => {
  service = await startScriptedService({ recogniser })
})
afterAll(() => service.stop())

async function perform(client: StreamClient, next: Action): Promise<void> {
  if (next.type === 'audio') client.audio(Buffer.alloc(next.bytes, 1))
  else if (next.type === 'flush') client.flush()
  else if (next.type === 'reset') client.reset()
  else if (next.type === 'config')
    client.config(next.lookAhead === undefined ? {} : { context: [56, next.lookAhead] })
  else if (next.type === 'invalid') client.text('?')
  else if (next.type === 'stall') recogniser.setStalled(next.stalled)
  else await new Promise(resolve => setTimeout(resolve, 3))
}

/** Waits until every expected event has arrived, or the connection is closed. */
async function hearOut(client: StreamClient, { answers, warnings }: Model): Promise<void> {
  const heard = () =>
    answersOf(client.events).length >= answers.length && warningsOf(client.events) >= warnings
  while (!heard() && client.socket.readyState <= 1) await client.nextEvent()
}

function answersOf(events: readonly ServerEvent[]): string[] {
  return events.map(event => event.type).filter(type => type === 'final' || type.endsWith('_ack'))
}

function warningsOf(events: readonly ServerEvent[]): number {
  return events.filter(event => event.type === 'error' && !event.fatal).length
}

async function inflict(client: StreamClient, fault: Fault): Promise<void> {
  if (fault === 'close') client.socket.close(1000)
  else if (fault === 'vanish') client.socket.terminate()
  else if (fault === 'engine') for (const stream of recogniser.streams) stream.die()
  else client.audio(Buffer.alloc(65_537))
}

const FAULTS = {
  close: { code: 1000, status: 'completed', isBilled: true },
  vanish: { code: 1006, status: 'completed', isBilled: true },
  engine: { code: 1013, status: 'failed', isBilled: false },
  oversize: { code: 1009, status: 'failed', isBilled: true },
  audio_limit_reached: { code: 4402, status: 'completed', isBilled: true },
  too_many_invalid_messages: { code: 4400, status: 'failed', isBilled: true },
} as const

function expectOrderlyEvents(events: readonly ServerEvent[]): void {
  let utterance = 1
  let text = ''
  for (const event of events) {
    if (event.type === 'delta') {
      text += event.append
      expect(event).toMatchObject({ utterance, text })
    } else if (event.type === 'final') {
      expect(event).toMatchObject({ utterance, text })
      utterance += 1
      text = ''
    } else if (event.type === 'reset_ack') {
      utterance += 1
      text = ''
      expect(event.utterance).toBe(utterance)
    }
  }
}

async function expectBill(
  account: Customer,
  samples: number,
  kind: keyof typeof FAULTS,
  granted: number,
): Promise<void> {
  const { status, isBilled } = FAULTS[kind]
  const billed = isBilled ? Math.ceil(samples / SAMPLES_A_SECOND) * 1000 : 0
  expect(await service.ended(account)).toEqual({
    status,
    audio_ms: Math.floor(samples / 16),
    billable_ms: billed,
    available_ms: granted - billed,
    reserved_ms: 0,
    consumed_ms: billed,
  })
}

it('any conversation: one final per flush, answers in order, billed to the sample, nothing after the close', async () => {
  const property = fc.asyncProperty(conversation, async ({ seconds, actions, fault }) => {
    const account = await service.openAccount(10)
    const model = new Model(seconds)
    const client = await service.connect(account, seconds)
    // A client that vanishes may lose what is still in progress, so everything is finished first: a flush, and its final.
    for (const next of [...actions, { type: 'flush' } as const]) {
      await perform(client, next)
      model.see(next)
    }
    recogniser.setStalled(false)
    if (!model.end) {
      await hearOut(client, model)
      await inflict(client, fault)
    }
    const kind = model.end ?? fault
    expect((await client.closed).code).toBe(FAULTS[kind].code)
    expect(answersOf(client.events)).toEqual(model.answers)
    expect(warningsOf(client.events)).toBe(model.warnings)
    expectOrderlyEvents(client.events)
    const fatal = client.events.filter(event => event.type === 'error' && event.fatal)
    expect(fatal).toHaveLength(kind === 'close' || kind === 'vanish' ? 0 : 1)
    if (fatal.length > 0) expect(client.events.at(-1)).toBe(fatal[0])
    await expectBill(account, model.acceptedSamples, kind, 10_000)
    expect(recogniser.openStreams).toBe(0)
  })
  await fc.assert(property, { numRuns: 100, endOnFailure: true })
}, 300_000)

it('a fault at any moment, with nothing waited for: status and charge are always right', async () => {
  const property = fc.asyncProperty(conversation, async ({ seconds, actions, fault }) => {
    const account = await service.openAccount(10)
    const model = new Model(seconds)
    const client = await service.connect(account, seconds)
    for (const next of actions) {
      await perform(client, next)
      model.see(next)
    }
    await inflict(client, fault)
    recogniser.setStalled(false)
    await client.closed
    const { status, audio_ms, billable_ms, available_ms, reserved_ms, consumed_ms } =
      await service.ended(account)
    // The engine may die, or the client vanish, before everything that was sent has been read.
    expect(audio_ms).toBeLessThanOrEqual(model.acceptedSamples / 16)
    expect([0, Math.ceil(audio_ms / 1000) * 1000, (Math.floor(audio_ms / 1000) + 1) * 1000]).toContain(
      billable_ms,
    )
    if (billable_ms === 0 && audio_ms > 0) expect(status).toBe('failed')
    expect({ reserved_ms, consumed_ms, sum: available_ms + consumed_ms }).toEqual({
      reserved_ms: 0,
      consumed_ms: billable_ms,
      sum: 10_000,
    })
    expectOrderlyEvents(client.events)
    expect(answersOf(client.events)).toEqual(model.answers.slice(0, answersOf(client.events).length))
  })
  await fc.assert(property, { numRuns: 60, endOnFailure: true })
}, 300_000)
