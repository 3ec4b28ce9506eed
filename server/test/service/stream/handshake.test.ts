// The checks of the upgrade, one by one.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import { RawClient, TEXT } from '../../support/streams/raw-client.ts'
import { StreamClient } from '../../support/streams/stream-client.ts'

const recogniser = new ScriptedRecogniser()
let service: ScriptedService
let account: Customer
beforeAll(async () => {
  // Every test comes from an address of its own, or their failures would add up.
  service = await startScriptedService({ recogniser, env: { SAUTI_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  account = await service.openAccount(600, 50)
})
afterAll(() => service.stop())

let lastAddress = 0
function fromNewAddress(): string {
  lastAddress += 1
  return `X-Forwarded-For: 192.0.2.${lastAddress}\r\n`
}

async function refusal(protocols: string | undefined, extra = fromNewAddress()) {
  const client = await RawClient.handshake(service.port, service.ca, protocols, extra)
  await client.closed
  const status = Number(client.head.split(' ')[1])
  return { status, head: client.head, error: JSON.parse(client.body).error }
}

function forge(): string {
  return `svc.auth.${randomBytes(54).toString('base64url')}`
}

/** What a client with this credential is told and how it is closed. */
async function closing(credential: string) {
  const client = await RawClient.handshake(
    service.port,
    service.ca,
    `svc.realtime.v1, ${credential}`,
    fromNewAddress(),
  )
  await client.closed
  return { head: client.head, closing: client.closing, events: client.events }
}

describe('a handshake', () => {
  it('answers with the first protocol alone, without compression, and never echoes the secret', async () => {
    const session = await service.createSession(account)
    const [protocol, credential] = session.websocket_protocols
    const offer = `${protocol}, ${credential}`
    const extension = 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n'
    const client = await RawClient.handshake(service.port, service.ca, offer, extension)
    await client.until(() => client.events.length > 0)
    expect(client.head).toMatch(/^HTTP\/1.1 101 /)
    expect(client.head).toMatch(/^Sec-WebSocket-Protocol: svc\.realtime\.v1$/m)
    expect(client.head).not.toContain('svc.auth.')
    expect(client.head).not.toMatch(/extensions/i)
    expect(client.head).toMatch(/^X-Request-Id: [0-9a-f-]{36}$/m)
    client.socket.destroy()
  })

  it.each([
    ['no subprotocols', () => undefined],
    ['the protocol alone', () => 'svc.realtime.v1'],
    ['the credential alone', forge],
    ['the wrong order', () => `${forge()}, svc.realtime.v1`],
    ['a third value', () => `svc.realtime.v1, ${forge()}, chat`],
    ['the protocol twice', () => 'svc.realtime.v1, svc.realtime.v1'],
    ['another version', () => `svc.realtime.v2, ${forge()}`],
    ['a credential that is too short', () => 'svc.realtime.v1, svc.auth.abc'],
    ['a credential that is too long', () => `svc.realtime.v1, ${forge()}A`],
    ['a credential without its prefix', () => `svc.realtime.v1, ${randomBytes(54).toString('base64url')}`],
    ['an empty value', () => `svc.realtime.v1, , ${forge()}`],
  ])('with %s is HTTP 401 with the error body', async (_name, offer) => {
    const { status, head, error } = await refusal(offer())
    expect(status).toBe(401)
    expect(error).toEqual({
      type: 'authentication_error',
      code: 'invalid_credential',
      message: expect.any(String),
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(head).toContain(`X-Request-Id: ${error.request_id}`)
    expect(head).toMatch(/^WWW-Authenticate: Bearer$/m)
    expect(head).not.toContain('svc.auth.')
  })

  it('with two header lines is the same as with one', async () => {
    const session = await service.createSession(account)
    const [protocol, credential] = session.websocket_protocols
    const second = `Sec-WebSocket-Protocol: ${credential}\r\n`
    const client = await RawClient.handshake(service.port, service.ca, protocol, second)
    await client.until(() => client.events.some(event => event.type === 'ready'))
    client.socket.destroy()
  })

  it('with a forged credential is accepted, gets the error, and is closed with 4401', async () => {
    const { head, closing: closed, events } = await closing(forge())
    expect(head).toMatch(/^HTTP\/1.1 101 /)
    expect(closed).toEqual({ code: 4401, reason: 'invalid_credential' })
    expect(events).toEqual([
      {
        type: 'error',
        code: 'invalid_credential',
        fatal: true,
        message: expect.any(String),
        session_id: null,
      },
    ])
  })

  it('with an expired credential is closed with 4401', async () => {
    const session = await service.createSession(account)
    await service.database.query(`UPDATE sessions SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      session.id,
    ])
    const { closing: closed } = await closing(session.websocket_protocols[1])
    expect(closed).toEqual({ code: 4401, reason: 'expired_credential' })
  })

  it('with a used credential is closed with 4401 and does not disturb the first use', async () => {
    const session = await service.createSession(account)
    const first = await StreamClient.ready(session, service.ca)
    const { closing: closed } = await closing(session.websocket_protocols[1])
    expect(closed).toEqual({ code: 4401, reason: 'credential_already_used' })
    first.silence(1600)
    first.flush()
    expect(await first.next('final')).toMatchObject({ text: 'a' })
    await first.close()
    const { closing: again } = await closing(session.websocket_protocols[1])
    expect(again).toEqual({ code: 4401, reason: 'credential_already_used' })
  })

  it('of twenty clients with one credential at the same moment opens exactly one', async () => {
    const session = await service.createSession(account)
    const clients = Array.from({ length: 20 }, () => new StreamClient(session, service.ca))
    const firstWords = await Promise.all(clients.map(client => client.nextEvent()))
    expect(firstWords.filter(event => event.type === 'status')).toHaveLength(1)
    expect(firstWords.filter(event => event.type === 'error')).toHaveLength(19)
    for (const client of clients) client.socket.terminate()
  })

  it('does not wait for the bad client to answer the close', async () => {
    const offer = `svc.realtime.v1, ${forge()}`
    const client = await RawClient.handshake(service.port, service.ca, offer, fromNewAddress())
    client.answersClose = false
    await client.closed
    expect(client.closing).toEqual({ code: 4401, reason: 'invalid_credential' })
  })

  it.each([
    ['another path', 'GET /v1/asr/other HTTP/1.1', 404, 'route_not_found'],
    ['another method', 'POST /v1/asr/stream HTTP/1.1', 405, 'method_not_allowed'],
  ])('at %s is refused', async (_name, line, status, code) => {
    const client = await RawClient.open(service.port, service.ca)
    client.socket.write(`${line}\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`)
    await client.closed
    expect(client.head).toContain(` ${status} `)
    expect(JSON.parse(client.body).error.code).toBe(code)
  })

  it.each([
    [
      'another upgrade',
      'Upgrade: h2c',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
    [
      'an old version',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 8',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
    ['no key', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'X-Nothing: 0'],
    ['a bad key', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: short'],
  ])('with %s is HTTP 400', async (_name, ...headers) => {
    const client = await RawClient.open(service.port, service.ca)
    client.socket.write(
      `GET /v1/asr/stream HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n${headers.join('\r\n')}\r\n\r\n`,
    )
    await client.closed
    expect(client.head).toContain(' 400 ')
    expect(JSON.parse(client.body).error).toMatchObject({ type: 'invalid_request_error' })
  })

  it('is refused with 429 after too many failures of one address, and others are not', async () => {
    const address = 'X-Forwarded-For: 198.51.100.1\r\n'
    for (let count = 0; count < 15; count++) {
      expect((await refusal('svc.realtime.v1', address)).status).toBe(401)
      const client = await RawClient.handshake(
        service.port,
        service.ca,
        `svc.realtime.v1, ${forge()}`,
        address,
      )
      await client.until(() => client.closing)
      client.socket.destroy()
    }
    const { status, head, error } = await refusal('svc.realtime.v1', address)
    expect(status).toBe(429)
    expect(error).toMatchObject({ type: 'rate_limit_error', code: 'request_rate_exceeded' })
    expect(Number(/^Retry-After: (\d+)$/m.exec(head)?.[1])).toBeLessThanOrEqual(60)
    const other = await service.connect(account)
    await other.close()
  })

  it('with a good credential passes, however many bad ones came from the same address', async () => {
    const address = 'X-Forwarded-For: 198.51.100.2\r\n'
    for (let count = 0; count < 31; count++) await refusal('svc.realtime.v1', address)
    expect((await refusal('svc.realtime.v1', address)).status).toBe(429)
    const session = await service.createSession(account)
    const offer = session.websocket_protocols.join(', ')
    const client = await RawClient.handshake(service.port, service.ca, offer, address)
    await client.until(() => client.events.some(event => event.type === 'ready'))
    client.socket.destroy()
  })

  it('with the same used credential is refused with 429 when it comes again and again', async () => {
    const session = await service.createSession(account)
    const client = await StreamClient.ready(session, service.ca)
    const offer = session.websocket_protocols.join(', ')
    for (let count = 0; count < 30; count++) {
      const again = await RawClient.handshake(service.port, service.ca, offer, fromNewAddress())
      await again.until(() => again.closing)
      expect(again.closing?.code).toBe(4401)
      again.socket.destroy()
    }
    expect((await refusal(offer)).status).toBe(429)
    await client.close()
  })

  it('that is slow, or never completes, holds nothing but a socket', async () => {
    const slow = await RawClient.open(service.port, service.ca)
    slow.socket.write('GET /v1/asr/stream HTTP/1.1\r\nHost: loc')
    const huge = await RawClient.open(service.port, service.ca)
    huge.socket.write(
      `GET /v1/asr/stream HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\n`,
    )
    await huge.closed
    expect(huge.head).toMatch(/^HTTP\/1.1 4(00|31) /)
    const other = await service.connect(account)
    await other.close()
    slow.socket.destroy()
  })

  it('may be followed by frames in the same packet', async () => {
    const open = recogniser.holdOpening()
    const session = await service.createSession(account)
    const client = await RawClient.handshake(service.port, service.ca, session.websocket_protocols.join(','))
    client.send({ opcode: TEXT, payload: '{"type":"flush"}' })
    await client.until(() => client.events.length > 0)
    open()
    await client.until(() => client.events.some(event => event.type === 'final'))
    client.socket.destroy()
  })
})
