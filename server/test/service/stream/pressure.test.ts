// Clients that send faster than we recognise, read more slowly than we answer, or just flood: slowed down or ended, without losing anything, and
// without using up our memory.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { heldBytes } from '../../support/memory.ts'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import { BINARY, PING, RawClient, TEXT } from '../../support/streams/raw-client.ts'

const SECOND = 16_000
const PATIENCE = { timeout: 20_000, interval: 20 }
const recogniser = new ScriptedRecogniser()
let service: ScriptedService
let account: Customer
beforeAll(async () => {
  service = await startScriptedService({ recogniser, env: { SAUTI_MAX_UNSENT_BYTES: '65536' } })
})
afterAll(() => service.stop())
afterEach(() => {
  recogniser.setStalled(false)
  recogniser.padding = ''
})

function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

async function connect(seconds = 300) {
  account = await service.openAccount()
  return service.connect(account, seconds)
}

async function connectRaw(seconds = 300): Promise<RawClient> {
  account = await service.openAccount()
  return RawClient.ready(service.port, await service.createSession(account, seconds), service.ca)
}

/** A flood proves nothing if it ended its own session. */
async function expectAlive(): Promise<void> {
  const { recent_sessions } = await service.usage(account)
  expect(recent_sessions[0]?.status).toBe('active')
}

/** Above 10 s queued; resolves with how much it is then. */
async function untilReadNoMore(): Promise<number> {
  const [stream] = [...recogniser.streams]
  await vi.waitFor(() => expect(stream!.queuedSamples).toBeGreaterThan(10 * SECOND), PATIENCE)
  return stream!.queuedSamples
}

/** What is on its way between client and server, in the one process of both, may take a moment to arrive and be collected. */
const expectHeldBelow = (megabytes: number) =>
  expect.poll(heldMegabytes, { timeout: 10_000, interval: 250 }).toBeLessThan(megabytes)

function heldMegabytes(): number {
  return heldBytes() / 1024 / 1024
}

describe('audio faster than real time', () => {
  it('is read more slowly above 10 s queued, and every sample of it counts', async () => {
    const client = await connect()
    recogniser.setStalled(true)
    client.silence(250 * SECOND)
    client.flush()
    const queuedSamples = await untilReadNoMore()
    await wait(200)
    expect([...recogniser.streams][0]!.queuedSamples).toBe(queuedSamples)
    expect(queuedSamples).toBeLessThan(15 * SECOND)
    recogniser.setStalled(false)
    expect(await client.next('final')).toMatchObject({ audio_ms: 250_000, text: 'a'.repeat(2500) })
    await client.close()
    expect(await service.ended(account)).toMatchObject({ status: 'completed', billable_ms: 250_000 })
  })

  it('is billed in full when the client leaves without waiting', async () => {
    const client = await connect()
    recogniser.setStalled(true)
    client.silence(60 * SECOND)
    client.socket.close(1000)
    await wait(300)
    recogniser.setStalled(false)
    expect(await service.ended(account)).toMatchObject({ status: 'completed', billable_ms: 60_000 })
  })
})

describe('a client that we do not read for a while', () => {
  let hasty: ScriptedService
  beforeAll(async () => {
    const env = { SAUTI_PING_INTERVAL_SECONDS: '0.3', SAUTI_IDLE_TIMEOUT_SECONDS: '1.5' }
    hasty = await startScriptedService({ recogniser, env })
  })
  afterAll(() => hasty.stop())

  it('is neither idle nor gone: its pongs and frames lie unread', async () => {
    account = await hasty.openAccount()
    const client = await hasty.connect(account, 300)
    recogniser.setStalled(true)
    client.silence(60 * SECOND)
    await wait(4000)
    expect(client.errorCodes).toEqual([])
    recogniser.setStalled(false)
    client.flush()
    await client.next('final')
    await client.close()
    expect(await hasty.ended(account)).toMatchObject({ status: 'completed', billable_ms: 60_000 })
  })

  it('is noticed by a ping when it dies meanwhile', async () => {
    account = await hasty.openAccount()
    const client = await hasty.connect(account, 300)
    recogniser.setStalled(true)
    client.silence(100 * SECOND)
    await untilReadNoMore()
    client.socket.terminate()
    const { status, billable_ms } = await hasty.ended(account)
    expect(status).toBe('completed')
    expect(billable_ms).toBeGreaterThanOrEqual(10_000)
    expect(recogniser.openStreams).toBe(0)
  })
})

describe('a flush storm', () => {
  it('is answered one by one, with a bounded number under way', async () => {
    const client = await connect()
    recogniser.setStalled(true)
    for (let count = 0; count < 5000; count++) client.flush()
    await wait(300)
    recogniser.setStalled(false)
    for (let utterance = 1; utterance <= 5000; utterance++) {
      expect(await client.next('final')).toMatchObject({ utterance, text: '' })
    }
    await client.close()
    expect(await service.ended(account)).toMatchObject({ status: 'completed', billable_ms: 0 })
  })

  it('of a client that reads nothing ends as slow_consumer, in bounded memory', async () => {
    const client = await connectRaw()
    recogniser.padding = 'x'.repeat(50_000)
    const before = heldMegabytes()
    client.socket.pause()
    for (let count = 0; count < 2000; count++) client.send({ opcode: TEXT, payload: '{"type":"flush"}' })
    expect(await service.ended(account)).toMatchObject({ status: 'completed', billable_ms: 0 })
    await expectHeldBelow(before + 15)
    expect(await service.metrics.metrics()).toMatch(/sessions_ended_total\{ending="slow_consumer"\} 1/)
    client.socket.resume()
    await client.closed
  })
})

describe('a flood', () => {
  it('of frames of one byte is just audio', async () => {
    const client = await connectRaw(10)
    const before = heldMegabytes()
    const frames = Array.from({ length: 2000 }, () => ({ opcode: BINARY, payload: 'x' }))
    for (let round = 0; round < 100; round++) {
      client.send(...frames)
      await wait(1)
    }
    client.send({ opcode: TEXT, payload: '{"type":"flush"}' })
    await client.until(() => client.events.some(event => event.type === 'final'), 30_000)
    await expectHeldBelow(before + 15)
    client.socket.destroy()
    expect(await service.ended(account)).toMatchObject({ audio_ms: 6250, billable_ms: 7000 })
  })

  it('of pings whose pongs nobody reads costs bounded memory', async () => {
    const client = await connectRaw()
    const before = heldMegabytes()
    client.socket.pause()
    const pings = Array.from({ length: 2000 }, () => ({ opcode: PING, payload: 'x'.repeat(125) }))
    for (let round = 0; round < 150; round++) {
      client.send(...pings)
      await new Promise(resolve => client.socket.write('', resolve))
    }
    await wait(200)
    await expectHeldBelow(before + 15)
    await expectAlive()
    client.socket.destroy()
    expect(await service.ended(account)).toMatchObject({ status: 'completed' })
  })

  it('of refused settings is slowed by the client that does not read the refusals', async () => {
    const client = await connectRaw()
    client.send({ opcode: BINARY, payload: Buffer.alloc(3200) })
    client.socket.pause()
    const configs = Array.from({ length: 1000 }, () => ({
      opcode: TEXT,
      payload: '{"type":"config","language":"sw"}',
    }))
    const before = heldMegabytes()
    for (let round = 0; round < 100; round++) client.send(...configs)
    await wait(1000)
    // What the client itself could not send yet is held in this process too.
    expect(heldMegabytes() - before - client.socket.writableLength / 1024 / 1024).toBeLessThan(15)
    await expectAlive()
    client.socket.destroy()
    expect(await service.ended(account)).toMatchObject({ status: 'completed' })
  })
})
