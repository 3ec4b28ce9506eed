// What a closed connection promises: a client that has seen the close finds the session settled and the slot free, at once.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#server/db/port.js'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import { BINARY, CLOSE, RawClient, TEXT } from '../../support/streams/raw-client.ts'
import type { StreamClient } from '../../support/streams/stream-client.ts'

const recogniser = new ScriptedRecogniser()
let service: ScriptedService
let account: Customer
/** Settlements wait for it. */
let database: Promise<void> = Promise.resolve()
let settlementsAsked = 0

/** A database that is slow, or does not answer at all, when a session is to be settled. */
function slowToSettle(real: Database): Database {
  return {
    ...real,
    query: async (sql, params) => {
      if (sql.includes('settle_session')) {
        settlementsAsked += 1
        await database
      }
      return real.query(sql, params)
    },
  }
}

function slow(): void {
  database = new Promise(resolve => setTimeout(resolve, 300))
}

/** Until the function that it returns is called. */
function hang(): () => void {
  let letGo: () => void = () => undefined
  database = new Promise(resolve => {
    letGo = resolve
  })
  return letGo
}

beforeAll(async () => {
  service = await startScriptedService({ recogniser, wrap: slowToSettle })
})
afterAll(() => service.stop())
afterEach(() => {
  database = Promise.resolve()
})

async function connect(seconds = 60): Promise<StreamClient> {
  account = await service.openAccount()
  const client = await service.connect(account, seconds)
  client.silence(8000)
  await client.next('delta')
  return client
}

async function connectRaw(): Promise<RawClient> {
  account = await service.openAccount()
  return RawClient.ready(service.port, await service.createSession(account), service.ca)
}

/** Asked once, not until it is true. */
async function expectSettledNow(status: 'completed' | 'failed'): Promise<void> {
  const { recent_sessions, reserved_ms } = await service.usage(account)
  expect(recent_sessions[0]).toMatchObject({ status, completed_at: expect.any(String) })
  expect(reserved_ms).toBe(0)
  await service.createSession(account)
}

describe('after the close, the session is settled and the next one can begin:', () => {
  it('the client closes', async () => {
    const client = await connect()
    slow()
    expect(await client.close()).toEqual({ code: 1000, reason: '' })
    await expectSettledNow('completed')
  })

  it('the client closes before it is ready', async () => {
    account = await service.openAccount()
    const open = recogniser.holdOpening()
    const client = service.open(await service.createSession(account))
    await client.next('status')
    slow()
    await client.close()
    await expectSettledNow('completed')
    open()
  })

  it('the client is read no more and closes', async () => {
    const client = await connect()
    recogniser.setStalled(true)
    client.silence(12 * 16_000)
    slow()
    const closed = client.close()
    recogniser.setStalled(false)
    await closed
    await expectSettledNow('completed')
  })

  it('the reservation is used up', async () => {
    const client = await connect(1)
    slow()
    client.silence(16_000)
    expect(await client.closed).toEqual({ code: 4402, reason: 'audio_limit_reached' })
    await expectSettledNow('completed')
  })

  it('the client broke the protocol, and leaves as soon as it gets the error', async () => {
    const client = await connect()
    slow()
    client.audio(Buffer.alloc(65_537))
    while ((await client.nextEvent()).type !== 'error');
    expect(await client.close()).toEqual({ code: 1009, reason: 'frame_too_large' })
    await expectSettledNow('failed')
  })

  it('the engine died', async () => {
    const client = await connect()
    slow()
    for (const stream of recogniser.streams) stream.die()
    expect(await client.closed).toEqual({ code: 1013, reason: 'engine_unavailable' })
    await expectSettledNow('failed')
  })
})

describe("the answer to a client's close", () => {
  it.each([
    { what: 'with a code and a reason', payload: Buffer.from([0x0f, 0xa0, ...Buffer.from('bye')]) },
    { what: 'without either', payload: Buffer.alloc(0) },
  ])('repeats it, $what, and is the last frame', async ({ payload }) => {
    const client = await connectRaw()
    slow()
    client.send({ opcode: BINARY, payload: Buffer.alloc(32_000) }, { opcode: CLOSE, payload })
    await client.closed
    expect(client.frames.at(-1)).toEqual({ opcode: CLOSE, payload })
    await expectSettledNow('completed')
  })

  it('does not take what comes after the close', async () => {
    const client = await connectRaw()
    slow()
    client.send(
      { opcode: CLOSE, payload: Buffer.from([0x03, 0xe8]) },
      { opcode: BINARY, payload: Buffer.alloc(32_000) },
      { opcode: TEXT, payload: '{"type":"flush"}' },
    )
    await client.closed
    expect((await service.usage(account)).recent_sessions[0]).toMatchObject({ audio_ms: 0 })
    expect(client.events.some(event => event.type === 'final')).toBe(false)
  })

  it('does not wait for a client that is gone before it', async () => {
    const client = await connectRaw()
    const letGo = hang()
    const askedBefore = settlementsAsked
    client.send({ opcode: CLOSE, payload: Buffer.from([0x03, 0xe8]) })
    await client.until(() => settlementsAsked > askedBefore)
    client.reset()
    letGo()
    expect(await service.ended(account)).toMatchObject({ status: 'completed' })
  })

  it('does not wait for a database that does not answer, and the settlement lands when it does', async () => {
    const client = await connect()
    const letGo = hang()
    expect(await client.close()).toEqual({ code: 1000, reason: '' })
    expect((await service.usage(account)).recent_sessions[0]).toMatchObject({ status: 'active' })
    letGo()
    expect(await service.ended(account)).toMatchObject({ status: 'completed', billable_ms: 1000 })
  })
})
