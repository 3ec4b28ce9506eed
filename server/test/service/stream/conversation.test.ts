import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { openScriptedService } from '../../support/service/scripted-service.ts'
import { StreamClient } from '../../support/streams/stream-client.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })
let account: Customer
afterEach(() => recogniser.setStalled(false))

/** 100 ms of it become one letter. */
function tone(value: number, samples: number): Buffer {
  return Buffer.from(new Int16Array(samples).fill(value).buffer)
}

async function connect(seconds = 60): Promise<StreamClient> {
  account = await service.openAccount()
  return service.connect(account, seconds)
}

describe('a conversation', () => {
  it('goes from status to ready, delta and final, and is billed by the second', async () => {
    account = await service.openAccount(600)
    const session = await service.createSession(account, 60)
    const client = new StreamClient(session, service.ca)
    expect(await client.nextEvent()).toEqual({ type: 'status', message: expect.any(String) })
    expect(await client.nextEvent()).toEqual({
      type: 'ready',
      chunk_samples: 17_920,
      session_id: session.id,
      model: 'svc-asr-kikuyu-v1',
      language: 'ki',
      sample_rate_hz: 16_000,
      max_audio_seconds: 60,
      max_frame_bytes: 65_536,
    })
    client.silence(24_000)
    client.flush()
    expect(await client.next('final')).toEqual({
      type: 'final',
      text: 'a'.repeat(15),
      utterance: 1,
      words: [],
      audio_ms: 1500,
      billable_ms: 2000,
      remaining_ms: 58_500,
    })
    const deltas = client.all('delta')
    expect(deltas.map(delta => delta.append).join('')).toBe('a'.repeat(15))
    expect(deltas.at(-1)).toMatchObject({ text: 'a'.repeat(15), utterance: 1, audio_ms: 1500 })
    expect(await client.close()).toEqual({ code: 1000, reason: '' })
    expect(await service.ended(account)).toEqual({
      status: 'completed',
      audio_ms: 1500,
      billable_ms: 2000,
      available_ms: 598_000,
      reserved_ms: 0,
      consumed_ms: 2000,
    })
  })

  it('answers a flush when nothing was said', async () => {
    const client = await connect()
    client.flush()
    client.flush()
    expect(await client.next('final')).toMatchObject({
      text: '',
      utterance: 1,
      billable_ms: 0,
      remaining_ms: 60_000,
    })
    expect(await client.next('final')).toMatchObject({ text: '', utterance: 2 })
    await client.close()
    expect(await service.ended(account)).toMatchObject({ status: 'completed', audio_ms: 0, billable_ms: 0 })
  })

  it('answers in the order of the asking, after all audio before it', async () => {
    const client = await connect()
    recogniser.setStalled(true)
    client.audio(tone(1, 1600))
    client.flush()
    client.config({ context: ['wega'] })
    client.audio(tone(2, 3200))
    client.flush()
    client.reset()
    client.config()
    client.flush()
    await client.arrived()
    recogniser.setStalled(false)
    await client.next('reset_ack')
    await client.next('final')
    const answers = client.events.filter(event => event.type !== 'delta').slice(2)
    expect(answers).toMatchObject([
      { type: 'final', text: 'b', utterance: 1, billable_ms: 1000, audio_ms: 100 },
      { type: 'config_ack', phrases: 1 },
      { type: 'final', text: 'cc', utterance: 2, billable_ms: 1000, audio_ms: 300 },
      { type: 'reset_ack', utterance: 4 },
      { type: 'config_ack', phrases: 0 },
      { type: 'final', text: '', utterance: 4 },
    ])
    await client.close()
  })

  it('refuses in the order of the asking, too: a refusal does not say what it refuses', async () => {
    const client = await connect()
    recogniser.setStalled(true)
    client.config({ context: [56, 0] })
    client.config({ language: 'luo' })
    client.config({ context: ['wega'] })
    client.text('{"type":"config","language":1}')
    client.flush()
    client.text('flush')
    client.config()
    await client.arrived()
    recogniser.setStalled(false)
    await client.next('final')
    await client.next('config_ack')
    expect(client.events.slice(2)).toMatchObject([
      { type: 'config_ack', context: [56, 0] },
      { type: 'error', code: 'language_mismatch' },
      { type: 'config_ack', phrases: 1 },
      { type: 'error', code: 'invalid_message' },
      { type: 'final' },
      { type: 'error', code: 'invalid_json' },
      { type: 'config_ack', context: [56, 13], phrases: 0 },
    ])
    await client.close()
  })

  it('shows in a final only the audio before its flush', async () => {
    const client = await connect(10)
    recogniser.setStalled(true)
    client.silence(16_000)
    client.flush()
    client.silence(32_000)
    client.flush()
    await client.arrived()
    recogniser.setStalled(false)
    expect(await client.next('final')).toMatchObject({ billable_ms: 1000, remaining_ms: 9000 })
    expect(await client.next('final')).toMatchObject({ billable_ms: 3000, remaining_ms: 7000 })
    await client.close()
  })

  it('drops the unfinished utterance and its queued audio on reset, and bills it', async () => {
    const client = await connect()
    client.audio(tone(1, 1600))
    await client.next('delta')
    recogniser.setStalled(true)
    client.audio(tone(2, 1600))
    client.reset()
    client.audio(tone(3, 1600))
    client.flush()
    await client.arrived()
    recogniser.setStalled(false)
    expect(await client.next('reset_ack')).toEqual({ type: 'reset_ack', utterance: 2 })
    expect(await client.next('final')).toMatchObject({ text: 'd', utterance: 2 })
    expect(client.all('final')).toHaveLength(1)
    await client.close()
    expect(await service.ended(account)).toMatchObject({ audio_ms: 300, billable_ms: 1000 })
  })

  it('acknowledges a config with the settings in effect', async () => {
    const client = await connect()
    client.config({ language: 'KIKUYU', context: [56, 3] })
    expect(await client.next('config_ack')).toEqual({
      type: 'config_ack',
      language: 'ki',
      context: [56, 3],
      phrases: 0,
      chunk_samples: 5120,
    })
    client.config({ context: ['wega muno', 'ihoya'] })
    expect(await client.next('config_ack')).toMatchObject({ context: [56, 3], phrases: 2 })
    expect([...recogniser.streams][0]!.settings).toEqual({ lookAhead: 3, phrases: ['wega muno', 'ihoya'] })
    client.config()
    expect(await client.next('config_ack')).toMatchObject({
      context: [56, 13],
      phrases: 0,
      chunk_samples: 17_920,
    })
    await client.close()
  })

  it('refuses a config while an utterance is under way, but takes a bare one as a keepalive', async () => {
    const client = await connect()
    client.audio(tone(1, 1600))
    client.config({ context: [56, 0] })
    expect(await client.next('error')).toMatchObject({ code: 'config_not_allowed', fatal: false })
    client.config()
    expect(await client.next('config_ack')).toMatchObject({ context: [56, 13] })
    client.config({ language: 'ki' })
    expect(await client.next('config_ack')).toMatchObject({ language: 'ki', context: [56, 13] })
    client.flush()
    client.config({ context: [56, 0] })
    await client.next('final')
    expect(await client.next('config_ack')).toMatchObject({ context: [56, 0] })
    client.audio(tone(1, 1600))
    client.reset()
    client.config({ context: [56, 6] })
    await client.next('reset_ack')
    expect(await client.next('config_ack')).toMatchObject({ context: [56, 6] })
    await client.close()
  })

  it('refuses another language than that of its model', async () => {
    const client = await connect()
    for (let attempt = 0; attempt < 6; attempt++) {
      client.config({ language: 'luo' })
      expect(await client.next('error')).toMatchObject({ code: 'language_mismatch', fatal: false })
    }
    await client.close()
  })

  it('says what is wrong with a message, and goes on', async () => {
    const client = await connect()
    const wrong = ['{', '[1]', '{"type":"shout"}', '{"type":"config","context":[56,5]}']
    for (const message of wrong) client.text(message)
    const codes = []
    for (const _ of wrong) codes.push((await client.next('error')).code)
    expect(codes).toEqual(['invalid_json', 'invalid_message', 'unknown_message_type', 'invalid_message'])
    client.flush()
    await client.next('final')
    await client.close()
    expect(await service.ended(account)).toMatchObject({ status: 'completed' })
  })

  it('carries an odd byte over frames and flushes, drops it with a reset, and ignores empty frames', async () => {
    const client = await connect()
    client.audio(Buffer.from([5]))
    client.audio(Buffer.alloc(0))
    client.flush()
    client.audio(Buffer.from([0, 7]))
    client.reset()
    client.audio(Buffer.from([9, 0]))
    client.flush()
    expect(await client.next('final')).toMatchObject({ text: '' })
    expect(await client.next('final')).toMatchObject({ text: 'j' })
    await client.close()
    expect(await service.ended(account)).toMatchObject({ billable_ms: 1000 })
    expect(client.errorCodes).toEqual([])
  })

  it('keeps requests that come before ready, and answers them after it', async () => {
    account = await service.openAccount()
    const open = recogniser.holdOpening()
    const client = new StreamClient(await service.createSession(account), service.ca)
    await client.next('status')
    client.config({ context: [56, 0] })
    for (let count = 0; count < 40; count++) client.flush()
    await new Promise(resolve => setTimeout(resolve, 150))
    expect(client.events).toHaveLength(1)
    open()
    await client.next('ready')
    expect(await client.next('config_ack')).toMatchObject({ context: [56, 0] })
    for (let count = 0; count < 40; count++) await client.next('final')
    await client.close()
  })

  it('does not accept audio before ready, and says so', async () => {
    account = await service.openAccount()
    const open = recogniser.holdOpening()
    const client = new StreamClient(await service.createSession(account), service.ca)
    await client.next('status')
    for (let count = 0; count < 9; count++) client.silence(1600)
    for (let count = 0; count < 9; count++) {
      expect(await client.next('error')).toMatchObject({ code: 'audio_before_ready', fatal: false })
    }
    open()
    await client.next('ready')
    client.silence(1600)
    client.flush()
    expect(await client.next('final')).toMatchObject({ audio_ms: 100, text: 'a' })
    await client.close()
    expect(await service.ended(account)).toMatchObject({ audio_ms: 100, billable_ms: 1000 })
  })
})
