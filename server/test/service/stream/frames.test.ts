// What the wire may carry, to the byte: sizes, fragments, and frames that break the protocol.

import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { openScriptedService } from '../../support/service/scripted-service.ts'
import {
  BINARY,
  CLOSE,
  CONTINUATION,
  PING,
  PONG,
  RawClient,
  type RawFrame,
  TEXT,
} from '../../support/streams/raw-client.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })
let account: Customer

async function ready(): Promise<RawClient> {
  account = await service.openAccount()
  return RawClient.ready(service.port, await service.createSession(account), service.ca)
}

const FLUSH: RawFrame = { opcode: TEXT, payload: '{"type":"flush"}' }
const GOODBYE: RawFrame = { opcode: CLOSE, payload: Buffer.from([0x03, 0xe8]) }

async function finish(client: RawClient): Promise<void> {
  client.send(GOODBYE)
  await client.closed
}

/** The session goes on after these frames: a flush is still answered. */
async function expectUnharmed(client: RawClient): Promise<void> {
  client.send(FLUSH)
  await client.until(() => client.events.some(event => event.type === 'final'))
  await finish(client)
}

describe('frames', () => {
  it.each([
    [0, 0, 0],
    [1, 0, 0],
    [2, 1, 1000],
    [3, 1, 1000],
    [65_535, 32_767, 3000],
    [65_536, 32_768, 3000],
  ])('of %i bytes are %i samples', async (bytes, samples, billableMs) => {
    const client = await ready()
    client.send({ opcode: BINARY, payload: Buffer.alloc(bytes) })
    await expectUnharmed(client)
    expect(client.events.filter(event => event.type === 'error')).toEqual([])
    expect(await service.ended(account)).toMatchObject({
      status: 'completed',
      audio_ms: Math.floor(samples / 16),
      billable_ms: billableMs,
    })
  })

  it.each([65_537, 65_600, 200_000, 10_000_000])('of %i bytes are too large', async bytes => {
    const client = await ready()
    client.send({ opcode: BINARY, payload: Buffer.alloc(bytes) })
    await client.closed
    expect(client.closing).toEqual({ code: 1009, reason: 'frame_too_large' })
    expect(client.events.at(-1)).toMatchObject({ code: 'frame_too_large', fatal: true })
    expect(await service.ended(account)).toMatchObject({ status: 'failed', billable_ms: 0 })
  })

  it('that only claim to be enormous are refused at once', async () => {
    const client = await ready()
    client.send({ opcode: BINARY, payload: 'x', claimedLength: 2 ** 40 })
    await client.closed
    expect(client.closing).toEqual({ code: 1009, reason: 'frame_too_large' })
  })

  it('of 16 KiB of text are read', async () => {
    const client = await ready()
    const padding = ' '.repeat(16 * 1024 - '{"type":"flush"}'.length)
    client.send({ opcode: TEXT, payload: `{"type":"flush"}${padding}` })
    await client.until(() => client.events.some(event => event.type === 'final'))
    await finish(client)
  })

  it.each([16 * 1024 + 1, 65_536, 65_537, 1_000_000])('of %i bytes of text are too large', async bytes => {
    const client = await ready()
    client.send({ opcode: TEXT, payload: ' '.repeat(bytes) })
    await client.closed
    expect(client.closing).toEqual({ code: 1009, reason: 'message_too_large' })
    expect(await service.ended(account)).toMatchObject({ status: 'failed' })
  })

  it('may come in fragments, with control frames in between', async () => {
    const client = await ready()
    client.send(
      { opcode: BINARY, fin: false, payload: Buffer.alloc(1601) },
      { opcode: PING, payload: 'still there?' },
      { opcode: CONTINUATION, fin: false, payload: Buffer.alloc(0) },
      { opcode: PONG },
      { opcode: CONTINUATION, payload: Buffer.alloc(1599) },
      { opcode: TEXT, fin: false, payload: '{"type":' },
      { opcode: CONTINUATION, payload: '"flush"}' },
    )
    await client.until(() => client.events.some(event => event.type === 'final'))
    expect(client.frames.find(frame => frame.opcode === PONG)?.payload.toString()).toBe('still there?')
    await finish(client)
    expect(await service.ended(account)).toMatchObject({ audio_ms: 100, billable_ms: 1000 })
  })

  it('in fragments are limited by their sum', async () => {
    const client = await ready()
    client.send({ opcode: BINARY, fin: false, payload: Buffer.alloc(40_000) })
    client.send({ opcode: CONTINUATION, payload: Buffer.alloc(30_000) })
    await client.closed
    expect(client.closing).toEqual({ code: 1009, reason: 'frame_too_large' })
  })

  it('in very many fragments are refused', async () => {
    const client = await ready()
    client.send({ opcode: BINARY, fin: false, payload: 'x' })
    for (let count = 0; count < 1000; count++) client.send({ opcode: CONTINUATION, fin: false, payload: 'x' })
    await client.closed
    expect(client.closing).toEqual({ code: 1002, reason: 'protocol_error' })
  })

  const broken: [string, RawFrame[]][] = [
    ['without a mask', [{ opcode: BINARY, payload: 'xx', masked: false }]],
    ['with a reserved bit', [{ opcode: BINARY, payload: 'xx', reserved: 4 }]],
    ['of an unknown kind', [{ opcode: 3, payload: 'xx' }]],
    ['that continue nothing', [{ opcode: CONTINUATION, payload: 'xx' }]],
    [
      'that interleave two messages',
      [
        { opcode: TEXT, fin: false, payload: '{' },
        { opcode: BINARY, payload: 'xx' },
      ],
    ],
    ['of fragmented control', [{ opcode: PING, fin: false }]],
    ['of oversized control', [{ opcode: PING, payload: 'x'.repeat(126) }]],
    ['of a close with one byte', [{ opcode: CLOSE, payload: 'x' }]],
    ['of a close with a forbidden code', [{ opcode: CLOSE, payload: Buffer.from([0x03, 0xed]) }]],
  ]
  it.each(broken)('%s end the session with 1002, after what came before them', async (_name, frames) => {
    const client = await ready()
    client.send({ opcode: BINARY, payload: Buffer.alloc(3200) }, ...frames)
    await client.closed
    expect(client.closing).toEqual({ code: 1002, reason: 'protocol_error' })
    expect(client.events.at(-1)).toMatchObject({ type: 'error', code: 'protocol_error', fatal: true })
    expect(await service.ended(account)).toMatchObject({ status: 'failed', audio_ms: 100, billable_ms: 1000 })
  })

  it('with a wrong mask are just other bytes', async () => {
    const client = await ready()
    const frame = Buffer.from([0x81, 0x82, 9, 9, 9, 9, 0x7b ^ 8, 0x7d ^ 8])
    client.socket.write(frame)
    await client.until(() => client.events.some(event => event.type === 'error'))
    expect(client.events.at(-1)).toMatchObject({ code: 'invalid_json', fatal: false })
    await expectUnharmed(client)
  })

  it('split into single bytes on the network arrive whole', async () => {
    const client = await ready()
    client.socket.setNoDelay()
    for (const byte of [0x81, 0x90, 0, 0, 0, 0, ...Buffer.from('{"type":"flush"}')]) {
      client.socket.write(Buffer.from([byte]))
      await new Promise(resolve => setImmediate(resolve))
    }
    await client.until(() => client.events.some(event => event.type === 'final'))
    await finish(client)
  })

  it('after the close of the server are ignored', async () => {
    const client = await ready()
    for (let count = 0; count < 5; count++) client.send({ opcode: TEXT, payload: '!' })
    for (let count = 0; count < 50; count++)
      client.send({ opcode: BINARY, payload: Buffer.alloc(3200) }, FLUSH)
    await client.closed
    expect(client.closing?.code).toBe(4400)
    expect(client.frames.at(-1)?.opcode).toBe(CLOSE)
    expect(await service.ended(account)).toMatchObject({ status: 'failed', audio_ms: 0 })
  })
})
