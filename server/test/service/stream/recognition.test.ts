// The whole service with the real recogniser: the same text however the audio arrives, streams that never mix, and every ending
// that is not caused by a fault of the service, with its bill.

import { setTimeout as wait } from 'node:timers/promises'
import type { ErrorCode } from '@sauti/protocol/errors'
import type { FinalEvent } from '@sauti/protocol/stream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { setAccountActive } from '#server/accounts/accounts.js'
import { revokeKey } from '#server/accounts/keys.js'
import { babble } from '../../support/recogniser/test-audio.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { FrontDoor } from '../../support/service/front-door.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import type { StreamClient } from '../../support/streams/stream-client.ts'

const GRANTED_MS = 600_000
const FRAME_SAMPLES = 1600

let service: TestService
let door: FrontDoor
let customer: Customer

function start(env: Record<string, string> = {}) {
  return async () => {
    const unlimited = { SAUTI_USAGE_READS_PER_MINUTE: '100000', SAUTI_SESSION_CREATIONS_PER_MINUTE: '100000' }
    service = await startTestService({ env: { ...unlimited, ...env } })
    door = new FrontDoor(service)
  }
}

async function connect(
  seconds = 60,
  model?: 'svc-asr-kikuyu-v1' | 'svc-asr-dholuo-v1',
): Promise<StreamClient> {
  customer = await createCustomer(service.database, new Date(), { creditMs: GRANTED_MS })
  return door.connect(customer, seconds, model)
}

function bytesOf(samples: Int16Array): Buffer {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
}

/** Three seconds of a tone that goes up and down. */
function siren(hertz: number, loudness: number): Int16Array {
  const turns = (n: number) => (hertz * n * (1 + Math.sin(n / 3000))) / 16_000
  return Int16Array.from({ length: 48_000 }, (_, n) => loudness * Math.sin(2 * Math.PI * turns(n)))
}

async function recognise(client: StreamClient): Promise<Pick<FinalEvent, 'text' | 'words'>> {
  client.flush()
  const { text, words } = await client.next('final')
  await client.close()
  return { text, words }
}

async function sendAtOnce(
  audio: Int16Array,
  frameBytes = 65_535,
): Promise<Pick<FinalEvent, 'text' | 'words'>> {
  const client = await connect()
  const bytes = bytesOf(audio)
  for (let at = 0; at < bytes.length; at += frameBytes) client.audio(bytes.subarray(at, at + frameBytes))
  return recognise(client)
}

async function sendInRealTime(audio: Int16Array): Promise<Pick<FinalEvent, 'text' | 'words'>> {
  const client = await connect()
  for (let at = 0; at < audio.length; at += FRAME_SAMPLES) {
    client.audio(bytesOf(audio.subarray(at, at + FRAME_SAMPLES)))
    await wait(100)
  }
  return recognise(client)
}

describe('the real recogniser behind a socket', () => {
  beforeAll(start())
  afterAll(() => service.stop())

  it('gives the same text for a file sent at once, in odd pieces, and in real time', async () => {
    const audio = babble(6 * 16_000, 7)
    const [atOnce, inPieces, inRealTime] = await Promise.all([
      sendAtOnce(audio),
      sendAtOnce(audio, 977),
      sendInRealTime(audio),
    ])
    expect(atOnce.text).not.toBe('')
    expect(inPieces).toEqual(atOnce)
    expect(inRealTime).toEqual(atOnce)
  })

  it('never gives a stream the text of another', async () => {
    // The fixture's random weights tell only very different voices apart.
    const voices = [
      babble(32_000, 1),
      babble(112_000, 2),
      siren(200, 5000),
      siren(6000, 30_000),
      new Int16Array(48_000),
    ]
    const alone = []
    for (const voice of voices) alone.push(await sendAtOnce(voice))
    const together = await Promise.all(voices.map((voice, index) => sendAtOnce(voice, 1000 + 500 * index)))
    expect(together).toEqual(alone)
    expect(new Set(alone.map(final => final.text)).size).toBeGreaterThanOrEqual(4)
  })

  it('has the same text in its deltas as in its final', async () => {
    const client = await connect()
    client.audio(bytesOf(babble(30_000, 3)))
    client.audio(bytesOf(babble(30_000, 4)))
    client.flush()
    const { text } = await client.next('final')
    const said = client.all('delta').map(delta => delta.append)
    expect(said.length).toBeGreaterThan(0)
    expect(text.startsWith(said.join('').trim())).toBe(true)
    await client.close()
  })
})

/** 1.5 s were accepted: 2 s are billed. */
async function expectSettled(
  status: 'completed' | 'failed',
  billableMs = 2000,
  audioMs = 1500,
): Promise<void> {
  expect(await door.ended(customer)).toEqual({
    status,
    audio_ms: audioMs,
    billable_ms: billableMs,
    available_ms: GRANTED_MS - billableMs,
    reserved_ms: 0,
    consumed_ms: billableMs,
  })
}

async function expectClosed(client: StreamClient, close: number, code: ErrorCode): Promise<void> {
  expect(await client.closed).toEqual({ code: close, reason: code })
  expect(client.events.at(-1)).toMatchObject({ type: 'error', code, fatal: true })
}

async function speak(seconds = 60): Promise<StreamClient> {
  const client = await connect(seconds)
  client.audio(bytesOf(babble(24_000)))
  client.flush()
  expect(await client.next('final')).toMatchObject({ audio_ms: 1500, billable_ms: 2000 })
  return client
}

describe('with the real recogniser, a session that ends because', () => {
  beforeAll(start())
  afterAll(() => service.stop())

  it('the client closes is completed and billed', async () => {
    const client = await speak()
    expect(await client.close()).toMatchObject({ code: 1000 })
    await expectSettled('completed')
  })

  it('the client vanishes is completed and billed', async () => {
    const client = await speak()
    client.socket.terminate()
    await expectSettled('completed')
  })

  it('its audio is used up gets its last final, and is completed and billed', async () => {
    const client = await speak(3)
    client.audio(bytesOf(babble(30_000)))
    const { audio_ms, remaining_ms } = await client.next('final')
    expect({ audio_ms, remaining_ms }).toEqual({ audio_ms: 3000, remaining_ms: 0 })
    await expectClosed(client, 4402, 'audio_limit_reached')
    await expectSettled('completed', 3000, 3000)
  })

  it('its key is revoked is completed and billed', async () => {
    const client = await speak()
    await revokeKey(service.database, customer.keyId, new Date())
    await expectClosed(client, 4403, 'key_revoked')
    await vi.waitFor(async () => {
      const sql = 'SELECT status, billable_ms FROM sessions WHERE account_id = $1'
      const rows = await service.database.query(sql, [customer.accountId])
      expect(rows).toEqual([{ status: 'completed', billable_ms: 2000 }])
    }, 10_000)
  })

  it('its account is deactivated is completed and billed', async () => {
    const client = await speak()
    await setAccountActive(service.database, customer.accountId, false)
    await expectClosed(client, 4403, 'account_inactive')
    await setAccountActive(service.database, customer.accountId, true)
    await expectSettled('completed')
  })

  it.each([
    [
      'a frame is too large',
      1009,
      'frame_too_large',
      (client: StreamClient) => client.audio(Buffer.alloc(65_537)),
    ],
    [
      'a text is too large',
      1009,
      'message_too_large',
      (client: StreamClient) => client.text('x'.repeat(16_385)),
    ],
    [
      'the client is not understood',
      4400,
      'too_many_invalid_messages',
      (client: StreamClient) => [1, 2, 3, 4, 5].map(() => client.text('x')),
    ],
  ] as const)('%s is failed and billed', async (_name, close, code, fault) => {
    const client = await speak()
    fault(client)
    await expectClosed(client, close, code)
    await expectSettled('failed')
  })
})

describe('with the real recogniser and short times, a session that ends because', () => {
  beforeAll(
    start({
      SAUTI_IDLE_TIMEOUT_SECONDS: '2',
      SAUTI_SESSION_TIME_FACTOR: '1',
      SAUTI_SESSION_TIME_EXTRA_SECONDS: '2',
    }),
  )
  afterAll(() => service.stop())

  it('nothing comes is completed and billed', async () => {
    const client = await speak()
    await expectClosed(client, 4408, 'idle_timeout')
    await expectSettled('completed')
  })

  it('it was open for too long is completed and billed', async () => {
    const client = await speak(2)
    const timer = setInterval(() => client.config(), 300)
    await expectClosed(client, 4408, 'session_timeout')
    clearInterval(timer)
    await expectSettled('completed')
  })
})
