// Every way in which a session ends: what the client is told, and what the account sees in GET /v1/usage.

import type { ErrorCode } from '@sauti/protocol/errors'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { setAccountActive } from '#server/accounts/accounts.js'
import { revokeKey } from '#server/accounts/keys.js'
import { readConfig } from '#server/config.js'
import { REVOCATION_POLL_MS } from '#server/stream/settings.js'
import type { Customer } from '../../support/customer.ts'
import { RawClient, TEXT } from '../../support/raw-client.ts'
import { ScriptedRecogniser } from '../../support/scripted-recogniser.ts'
import { type ScriptedService, startScriptedService } from '../../support/scripted-service.ts'
import { StreamClient } from '../../support/stream-client.ts'

const GRANTED_SECONDS = 600

const recogniser = new ScriptedRecogniser()
let service: ScriptedService
let account: Customer

async function connect(seconds = 60): Promise<StreamClient> {
  account = await service.openAccount(GRANTED_SECONDS)
  return service.connect(account, seconds)
}

/** 1.5 s were accepted: 2 s are billed, or nothing when the fault was ours. */
async function expectSettled(
  status: 'completed' | 'failed',
  billableMs: number,
  audioMs = 1500,
): Promise<void> {
  expect(await service.ended(account)).toEqual({
    status,
    audio_ms: audioMs,
    billable_ms: billableMs,
    available_ms: GRANTED_SECONDS * 1000 - billableMs,
    reserved_ms: 0,
    consumed_ms: billableMs,
  })
  // The slot is free again.
  await service.createSession(account, 1)
}

/** The last event is the fatal error, and the close carries the same word. */
async function expectClosed(client: StreamClient, close: number, code: ErrorCode): Promise<void> {
  expect(await client.closed).toEqual({ code: close, reason: code })
  expect(client.events.at(-1)).toMatchObject({
    type: 'error',
    code,
    fatal: true,
    message: expect.any(String),
  })
  expect(client.all('error').filter(event => event.fatal)).toHaveLength(1)
}

async function speak(client: StreamClient): Promise<void> {
  client.silence(24_000)
  while ((await client.next('delta')).audio_ms < 1500);
}

describe('with the times of a real service', () => {
  beforeAll(async () => {
    service = await startScriptedService({ recogniser })
  })
  afterAll(() => service.stop())
  afterEach(() => recogniser.setStalled(false))

  it('the client closes: completed, billed', async () => {
    const client = await connect()
    await speak(client)
    await client.close()
    await expectSettled('completed', 2000)
  })

  it('the client closes without a code: completed, billed', async () => {
    const client = await connect()
    await speak(client)
    client.socket.close()
    await expectSettled('completed', 2000)
  })

  it('the client closes in the middle of a flush: completed, billed', async () => {
    const client = await connect()
    await speak(client)
    recogniser.setStalled(true)
    client.flush()
    await client.close()
    await expectSettled('completed', 2000)
  })

  it('the client sends audio and closes at once: all of it counts', async () => {
    const client = await connect()
    client.silence(24_000)
    await client.close()
    await expectSettled('completed', 2000)
  })

  it('the client resets the TCP connection: completed, billed', async () => {
    const client = await connect()
    await speak(client)
    client.socket.terminate()
    await expectSettled('completed', 2000)
  })

  it('the client ends TCP without a close frame: completed, billed', async () => {
    account = await service.openAccount(GRANTED_SECONDS)
    const client = await RawClient.ready(service.port, await service.createSession(account), service.ca)
    client.socket.end()
    await client.closed
    await expectSettled('completed', 0, 0)
  })

  it('no audio: nothing billed', async () => {
    const client = await connect()
    await client.close()
    await expectSettled('completed', 0, 0)
  })

  it('the audio limit: cut at the exact sample, final, 4402, completed, billed', async () => {
    const client = await connect(2)
    client.silence(24_000)
    client.audio(Buffer.alloc(16_002))
    await expectClosed(client, 4402, 'audio_limit_reached')
    expect(client.all('final')).toMatchObject([
      { text: 'a'.repeat(20), billable_ms: 2000, remaining_ms: 0, audio_ms: 2000 },
    ])
    await expectSettled('completed', 2000, 2000)
  })

  it('the audio limit, and the client keeps sending: nothing more is accepted or answered', async () => {
    const client = await connect(2)
    recogniser.setStalled(true)
    client.silence(33_000)
    for (let count = 0; count < 10; count++) {
      client.silence(1600)
      client.flush()
    }
    for (let count = 0; count < 6; count++) client.text('nonsense')
    client.audio(Buffer.alloc(70_000))
    await new Promise(resolve => setTimeout(resolve, 200))
    recogniser.setStalled(false)
    await expectClosed(client, 4402, 'audio_limit_reached')
    expect(client.all('final')).toHaveLength(1)
    expect(client.errorCodes).toEqual(['audio_limit_reached'])
    await expectSettled('completed', 2000, 2000)
  })

  it('the audio limit with flushes still owed: all of them are answered first', async () => {
    const client = await connect(1)
    recogniser.setStalled(true)
    client.silence(8000)
    client.flush()
    client.silence(9000)
    await new Promise(resolve => setTimeout(resolve, 100))
    recogniser.setStalled(false)
    await expectClosed(client, 4402, 'audio_limit_reached')
    expect(client.all('final').map(event => event.text)).toEqual(['aaaaa', 'aaaaa'])
    await expectSettled('completed', 1000, 1000)
  })

  it('exactly the reservation is no fault: its flush is answered, and a silent client is ended soon after', async () => {
    const client = await connect(1)
    client.silence(16_000)
    client.flush()
    expect(await client.next('final')).toMatchObject({ remaining_ms: 0 })
    expect(client.errorCodes).toEqual([])
    await expectClosed(client, 4402, 'audio_limit_reached')
    await expectSettled('completed', 1000, 1000)
  })

  it('revocations are looked for often enough to be told within 5 s, with time for a slow query', () => {
    expect(REVOCATION_POLL_MS).toBeLessThan(2500)
  })

  it('the key is revoked while open: 4403, completed, billed', async () => {
    const client = await connect()
    await speak(client)
    await revokeKey(service.database, account.keyId, new Date())
    await expectClosed(client, 4403, 'key_revoked')
    account = { ...account, key: await service.anotherKey(account) }
    await expectSettled('completed', 2000)
  })

  it('the account is deactivated while open: 4403, completed, billed', async () => {
    const client = await connect()
    await speak(client)
    await setAccountActive(service.database, account.accountId, false)
    await expectClosed(client, 4403, 'account_inactive')
    await setAccountActive(service.database, account.accountId, true)
    await expectSettled('completed', 2000)
  })

  it('a frame too large: 1009, failed, billed', async () => {
    const client = await connect()
    await speak(client)
    client.audio(Buffer.alloc(65_537))
    await expectClosed(client, 1009, 'frame_too_large')
    await expectSettled('failed', 2000)
  })

  it('a text too large: 1009, failed, billed', async () => {
    const client = await connect()
    await speak(client)
    client.text(' '.repeat(16_385))
    await expectClosed(client, 1009, 'message_too_large')
    await expectSettled('failed', 2000)
  })

  it('the fifth invalid message: 4400, failed, billed', async () => {
    const client = await connect()
    await speak(client)
    for (let count = 0; count < 5; count++) client.text('nonsense')
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    expect(client.errorCodes).toEqual([...Array(4).fill('invalid_json'), 'too_many_invalid_messages'])
    await expectSettled('failed', 2000)
  })

  it('the tenth audio before ready: 4400, failed, nothing accepted', async () => {
    account = await service.openAccount(GRANTED_SECONDS)
    const open = recogniser.holdOpening()
    const client = new StreamClient(await service.createSession(account), service.ca)
    await client.next('status')
    for (let count = 0; count < 10; count++) client.silence(1600)
    await expectClosed(client, 4400, 'too_many_invalid_messages')
    expect(client.errorCodes).toEqual([...Array(9).fill('audio_before_ready'), 'too_many_invalid_messages'])
    open()
    await expectSettled('failed', 0, 0)
    expect(recogniser.openStreams).toBe(0)
  })

  it('the engine dies: 1013, failed, not billed', async () => {
    const client = await connect()
    await speak(client)
    for (const stream of recogniser.streams) stream.die()
    await expectClosed(client, 1013, 'engine_unavailable')
    await expectSettled('failed', 0)
  })

  it('no engine slot in time: 1013, failed, not billed', async () => {
    account = await service.openAccount(GRANTED_SECONDS)
    recogniser.refusing = true
    const client = new StreamClient(await service.createSession(account), service.ca)
    await expectClosed(client, 1013, 'engine_unavailable')
    recogniser.refusing = false
    expect(client.all('ready')).toEqual([])
    await expectSettled('failed', 0, 0)
  })

  it('an internal error: 1011, failed, not billed, its cause in the log only', async () => {
    const client = await connect()
    await speak(client)
    for (const stream of recogniser.streams) stream.die(new TypeError('a bug of ours'))
    await expectClosed(client, 1011, 'internal_error')
    expect(JSON.stringify(client.events)).not.toContain('a bug of ours')
    expect(service.logLines.join('')).toContain('a bug of ours')
    await expectSettled('failed', 0)
  })

  it('never opened: expired, nothing billed, credit back by itself; looked for every second or sooner', async () => {
    expect(readConfig({}).reaperIntervalMs).toBeLessThanOrEqual(1000)
    account = await service.openAccount(GRANTED_SECONDS)
    const { id } = await service.createSession(account)
    await service.database.query(
      `UPDATE sessions SET expires_at = now() + interval '300 milliseconds' WHERE id = $1`,
      [id],
    )
    // Past the front door, which would expire it by itself when it is asked.
    const look = () =>
      service.database.query(
        `SELECT s.status, a.available_ms AS available FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.id = $1`,
        [id],
      )
    const expired = { status: 'expired', available: GRANTED_SECONDS * 1000 }
    await vi.waitFor(async () => expect(await look()).toEqual([expired]), { timeout: 20_000, interval: 100 })
    expect(await service.ended(account)).toMatchObject({ status: 'expired', billable_ms: 0, reserved_ms: 0 })
  })

  it('broken UTF-8: 1007, failed, billed', async () => {
    account = await service.openAccount(GRANTED_SECONDS)
    const client = await RawClient.ready(service.port, await service.createSession(account), service.ca)
    client.send(
      { opcode: 2, payload: Buffer.alloc(48_000) },
      { opcode: TEXT, payload: Buffer.from([0x22, 0xc3, 0x28]) },
    )
    await client.closed
    expect(client.closing).toEqual({ code: 1007, reason: 'invalid_utf8' })
    expect(client.events.at(-1)).toMatchObject({ type: 'error', code: 'invalid_utf8', fatal: true })
    await expectSettled('failed', 2000)
  })
})

describe('with short times', () => {
  beforeAll(async () => {
    const env = {
      SAUTI_IDLE_TIMEOUT_SECONDS: '1.5',
      SAUTI_PING_INTERVAL_SECONDS: '0.4',
      SAUTI_SESSION_TIME_FACTOR: '1',
      SAUTI_SESSION_TIME_EXTRA_SECONDS: '1',
    }
    service = await startScriptedService({ recogniser, env })
  })
  afterAll(() => service.stop())
  afterEach(() => recogniser.setStalled(false))

  it('idle: 4408, completed, billed', async () => {
    const client = await connect()
    await speak(client)
    await expectClosed(client, 4408, 'idle_timeout')
    await expectSettled('completed', 2000)
  })

  it('a bare config, or a ping, keeps it from being idle', async () => {
    const client = await connect()
    await speak(client)
    for (let count = 0; count < 30; count++) {
      await new Promise(resolve => setTimeout(resolve, 100))
      if (count % 2) client.config()
      else client.socket.ping()
    }
    expect(client.errorCodes).toEqual([])
    await client.close()
    await expectSettled('completed', 2000)
  })

  it('a client that waits for its final is not idle', async () => {
    const client = await connect()
    await speak(client)
    recogniser.setStalled(true)
    client.flush()
    await new Promise(resolve => setTimeout(resolve, 3000))
    recogniser.setStalled(false)
    await client.next('final')
    await client.close()
    await expectSettled('completed', 2000)
  })

  it('the wall clock: 4408, completed, billed', async () => {
    const client = await connect(1)
    client.silence(8000)
    const timer = setInterval(() => client.config(), 100)
    await expectClosed(client, 4408, 'session_timeout')
    clearInterval(timer)
    await expectSettled('completed', 1000, 500)
  })

  it('half-open: two missed pings end it, completed, billed', async () => {
    account = await service.openAccount(GRANTED_SECONDS)
    const client = await RawClient.ready(service.port, await service.createSession(account), service.ca)
    client.answersPings = false
    client.send({ opcode: 2, payload: Buffer.alloc(48_000) })
    client.send({ opcode: TEXT, payload: '{"type":"flush"}' })
    recogniser.setStalled(true)
    await client.closed
    expect(client.frames.filter(frame => frame.opcode === 9).length).toBeGreaterThanOrEqual(2)
    await expectSettled('completed', 2000)
  })
})
