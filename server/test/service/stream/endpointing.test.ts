// Endpointing on the wire: utterances end by themselves, and only where the client asked for it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MODELS_DIR, readSamples } from '../../support/recogniser/samples.ts'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { FrontDoor } from '../../support/service/front-door.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import type { StreamClient } from '../../support/streams/stream-client.ts'

const MS = 16

function sound(ms: number, level: number): Buffer {
  const samples = new Int16Array(ms * MS).fill(level)
  return Buffer.from(samples.buffer)
}
const loud = (ms: number) => sound(ms, 5_200)
const quiet = (ms: number) => sound(ms, 0)

describe('with a scripted recogniser', () => {
  let service: ScriptedService
  let account: Customer
  beforeAll(async () => {
    service = await startScriptedService({ recogniser: new ScriptedRecogniser() })
    account = await service.openAccount(6_000, 50)
  })
  afterAll(() => service.stop())

  async function listen(silence_ms = 320): Promise<StreamClient> {
    const client = await service.connect(account, 60)
    client.config({ endpointing: { silence_ms } })
    expect(await client.next('config_ack')).toMatchObject({ endpointing: { silence_ms } })
    return client
  }

  it('tells when speech starts and ends, and sends the final without a flush', async () => {
    const client = await listen()
    client.audio(Buffer.concat([quiet(320), loud(640), quiet(640)]))
    expect(await client.next('speech_started')).toEqual({ type: 'speech_started', audio_ms: 320 })
    expect(await client.next('speech_ended')).toEqual({ type: 'speech_ended', audio_ms: 960 })
    expect(await client.next('final')).toMatchObject({ utterance: 1, audio_ms: 1_280, cause: 'endpoint' })
    client.flush()
    expect(await client.next('final')).not.toHaveProperty('cause')
    await client.close()
  })

  it('ends at the same sample however the audio is cut into frames', async () => {
    const speech = Buffer.concat([loud(640), quiet(640), loud(960), quiet(640), loud(320), quiet(640)])
    const finals = async (bytesPerFrame: number) => {
      const client = await listen()
      for (let at = 0; at < speech.length; at += bytesPerFrame)
        client.audio(speech.subarray(at, at + bytesPerFrame))
      const ends = [await client.next('final'), await client.next('final'), await client.next('final')]
      await client.close()
      return ends.map(({ text, audio_ms, utterance }) => ({ text, audio_ms, utterance }))
    }
    const expected = await finals(3_200)
    expect(expected.map(({ audio_ms }) => audio_ms)).toEqual([960, 2_560, 3_520])
    expect(await finals(334)).toEqual(expected)
    expect(await finals(64_000)).toEqual(expected)
  })

  it('ends at the same samples where everything, and what the client asks for after it, comes at once', async () => {
    const speech = Buffer.concat([loud(320), quiet(480), loud(320), quiet(480), loud(330)])
    const client = await listen()
    client.audio(speech)
    client.config({ language: 'ki' })
    client.flush()
    client.audio(speech)
    client.flush()
    while (client.all('final').length < 6) await client.next('final')
    const ends = client.all('final').map(({ audio_ms, utterance, cause }) => [utterance, audio_ms, cause])
    expect(ends).toEqual([
      [1, 640, 'endpoint'],
      [2, 1_440, 'endpoint'],
      [3, 1_930, undefined],
      [4, 2_570, 'endpoint'],
      [5, 3_370, 'endpoint'],
      [6, 3_860, undefined],
    ])
    const order = client.events.map(({ type }) => type).filter(type => /^(config_ack|final)$/.test(type))
    expect(order.slice(0, 5)).toEqual(['config_ack', 'final', 'final', 'config_ack', 'final'])
    await client.close()
  })

  it('leaves flush and reset as they are', async () => {
    const client = await listen()
    client.audio(loud(500))
    client.flush()
    expect(await client.next('final')).toMatchObject({ utterance: 1, audio_ms: 500 })
    client.audio(loud(500))
    client.reset()
    expect(await client.next('reset_ack')).toMatchObject({ utterance: 3 })
    client.audio(Buffer.concat([loud(320), quiet(640)]))
    expect(await client.next('final')).toMatchObject({ utterance: 3, cause: 'endpoint' })
    await client.close()
    expect(await service.ended(account)).toMatchObject({ audio_ms: 1_960, billable_ms: 2_000 })
  })

  it('stays on after a keepalive, whether or not an utterance is under way', async () => {
    const client = await listen()
    client.config({ language: 'ki' })
    expect(await client.next('config_ack')).toMatchObject({ endpointing: { silence_ms: 320 } })
    client.audio(loud(640))
    client.config({ language: 'ki' })
    expect(await client.next('config_ack')).toMatchObject({ endpointing: { silence_ms: 320 } })
    client.audio(quiet(640))
    expect(await client.next('final')).toMatchObject({ cause: 'endpoint' })
    await client.close()
  })

  it('sends the last final when the reservation is used up', async () => {
    const client = await service.connect(account, 1)
    client.config({ endpointing: { silence_ms: 700 } })
    await client.next('config_ack')
    client.audio(loud(1_500))
    expect(await client.next('final')).toMatchObject({ audio_ms: 1_000 })
    expect(await client.closed).toMatchObject({ code: 4402 })
  })

  it('is off unless it is asked for, and off again by false', async () => {
    const client = await service.connect(account, 60)
    client.audio(Buffer.concat([loud(640), quiet(1_000)]))
    client.flush()
    await client.next('final')
    client.config({ endpointing: { silence_ms: 320 } })
    await client.next('config_ack')
    client.config({ endpointing: false })
    expect(await client.next('config_ack')).not.toHaveProperty('endpointing')
    client.audio(Buffer.concat([loud(640), quiet(1_000)]))
    client.flush()
    await client.next('final')
    expect(client.all('final')).toHaveLength(2)
    expect(client.all('speech_started')).toEqual([])
    await client.close()
  })

  it.each([{ silence_ms: 199 }, { silence_ms: 5_001 }, { silence_ms: 300.5 }, {}, true, null, 700])(
    'refuses %j',
    async endpointing => {
      const client = await service.connect(account, 60)
      client.text(JSON.stringify({ type: 'config', endpointing }))
      expect(await client.next('error')).toMatchObject({ code: 'invalid_message', fatal: false })
      await client.close()
    },
  )
})

describe('with the bundled models', () => {
  let service: TestService
  let door: FrontDoor
  beforeAll(async () => {
    service = await startTestService({ env: { SAUTI_MODELS_DIR: MODELS_DIR } })
    door = new FrontDoor(service)
  })
  afterAll(() => service.stop())

  it('hears two sentences with a pause between them as two utterances, and nothing in silence', async () => {
    const customer = await createCustomer(service.database, new Date(), {})
    const client = await door.connect(customer, 60)
    client.config({ endpointing: { silence_ms: 700 } })
    await client.next('config_ack')
    const [first, second] = readSamples('ki').map(({ pcm }) => Buffer.from(pcm.buffer))
    for (const part of [first!, quiet(6_500), second!, quiet(1_500)]) sendInFrames(client, part)
    const finals = [await client.next('final'), await client.next('final')]
    client.flush()
    expect(await client.next('final')).toMatchObject({ text: '', utterance: 3 })
    expect(finals.map(({ cause, utterance }) => [cause, utterance])).toEqual([
      ['endpoint', 1],
      ['endpoint', 2],
    ])
    for (const { words } of finals) expect(words.length).toBeGreaterThan(3)
    const ends = client.all('speech_ended').map(({ audio_ms }) => audio_ms)
    expect(Math.abs(ends[0]! - first!.length / 2 / MS)).toBeLessThan(700)
    await client.close()
  })
})

function sendInFrames(client: StreamClient, audio: Buffer): void {
  for (let at = 0; at < audio.length; at += 3_200) client.audio(audio.subarray(at, at + 3_200))
}
