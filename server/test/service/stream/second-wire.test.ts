// Other protocols: a toy protocol that differs from ours in everything, added as one object. It authenticates with the
// API key at the upgrade, speaks before `ready`, pays a minute at a time and ends when the client says so.

import { once } from 'node:events'
import { ServiceError } from '@sauti/protocol/errors'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { authenticateKey } from '#server/accounts/authenticate-key.js'
import { verifyLedger } from '#server/ledger/verify.js'
import type { Dialect, StreamEvent, Wire } from '#server/stream/dialect.js'
import { openMeteredSession } from '#server/stream/metered-credit.js'
import type { WireParts } from '#server/stream/wires/all.js'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'

const PATH = '/toy/listen'
const ALWAYS = { allowed: true, nextSeconds: 0 }

const toyDialect: Dialect = {
  maxTextBytes: 100,
  takesEarlyAudio: true,
  interimWords: false,
  greeting: ['HELLO'],
  firstRequests: [{ type: 'config', phrases: ['mũgũnda'] }],
  parse(frame, isBinary) {
    if (isBinary) return [{ type: 'audio', bytes: frame }]
    const text = frame.toString()
    if (text === 'NOW') return [{ type: 'flush' }]
    if (text === 'BYE') return [{ type: 'finish' }, { type: 'reply', write: () => 'never sent' }]
    if (text === 'HI') return [{ type: 'reply', write: () => 'HI' }]
    throw new ServiceError('unknown_message_type')
  },
  encode: encodeToy,
  closeFrame: code => (code ? { code: 4999, reason: `toy ${code}` } : { code: 1000, reason: 'toy' }),
}

function encodeToy(event: StreamEvent): string[] {
  if (event.type === 'final') return [`=${event.text}`]
  if (event.type === 'finished') return [`heard ${event.audio_ms}`, `billed ${event.billable_ms}`]
  return event.type === 'error' ? [`!${event.code}`] : []
}

function createToyWire(parts: WireParts): Wire {
  return {
    path: PATH,
    maxMessageBytes: 200_000,
    async admit({ headers }) {
      const key = /^Token (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
      const holder = await authenticateKey(parts.db, key, parts.clock())
      const credit = await openMeteredSession(parts, { holder, model: 'svc-asr-kikuyu-v1', rate: ALWAYS })
      return { subprotocol: undefined, dialect: toyDialect, credit }
    },
    refusalBody: ({ code }) => ({ toy_error: code }),
  }
}

const recogniser = new ScriptedRecogniser()
let service: ScriptedService

function connect(key: string): WebSocket {
  const headers = { authorization: `Token ${key}` }
  return new WebSocket(`wss://127.0.0.1:${service.port}${PATH}`, { ca: service.ca, headers })
}

/** Everything that it is told, up to its close. */
async function hear(socket: WebSocket): Promise<{ told: string[]; close: [number, string] }> {
  const told: string[] = []
  socket.on('message', data => told.push(String(data)))
  const [code, reason] = await once(socket, 'close')
  return { told, close: [code, String(reason)] }
}

async function refusal(key: string): Promise<{ status: number; body: unknown }> {
  const socket = connect(key)
  socket.on('error', () => undefined)
  const [, response] = await once(socket, 'unexpected-response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, body: JSON.parse(body) }
}

async function expectSoundLedger(): Promise<void> {
  expect((await verifyLedger(service.database)).discrepancies).toEqual([])
}

describe('a second wire', () => {
  beforeAll(async () => {
    service = await startScriptedService({ recogniser, wires: parts => [createToyWire(parts)] })
  })
  afterAll(() => service.stop())
  afterEach(expectSoundLedger)

  it('takes audio before ready, answers in its own format and closes when the client has finished', async () => {
    const account = await service.openAccount(600)
    const socket = connect(account.key)
    const heard = hear(socket)
    await once(socket, 'open')
    socket.send(Buffer.alloc(3200))
    socket.send('HI')
    socket.send('NOW')
    socket.send(Buffer.alloc(6400))
    socket.send('BYE')
    socket.send(Buffer.alloc(64_000))
    const { told, close } = await heard
    expect(told).toContain('HI')
    expect(told.filter(text => text !== 'HI')).toEqual(['HELLO', '=a', '=aa', 'heard 300', 'billed 1000'])
    expect(close).toEqual([1000, 'toy'])
    expect(await service.ended(account)).toMatchObject({
      status: 'completed',
      billable_ms: 1000,
      reserved_ms: 0,
    })
  })

  it('refuses a client without a key or credit over HTTP, in its own format', async () => {
    expect(await refusal('nonsense')).toEqual({ status: 401, body: { toy_error: 'invalid_api_key' } })
    const poor = await service.openAccount(1)
    await streamUntilSpent(poor, 2)
    expect(await refusal(poor.key)).toEqual({ status: 402, body: { toy_error: 'insufficient_credits' } })
  })

  it('reports errors and closes with its own codes', async () => {
    const account = await service.openAccount(600)
    const socket = connect(account.key)
    const heard = hear(socket)
    await once(socket, 'open')
    for (let count = 0; count < 5; count += 1) socket.send('nonsense')
    const { told, close } = await heard
    expect(told).toEqual(['HELLO', ...Array(4).fill('!unknown_message_type'), '!too_many_invalid_messages'])
    expect(close).toEqual([4999, 'toy too_many_invalid_messages'])
  })

  it('reserves a minute at a time for one session and settles it once', async () => {
    const account = await service.openAccount(600)
    const socket = connect(account.key)
    const heard = hear(socket)
    await once(socket, 'open')
    for (let sent = 0; sent < 150; sent += 1) socket.send(Buffer.alloc(32_000))
    socket.send('BYE')
    const { told, close } = await heard
    expect(told.slice(-2)).toEqual(['heard 150000', 'billed 150000'])
    expect(close[0]).toBe(1000)
    const { recent_sessions, ...balance } = await service.usage(account)
    expect(recent_sessions).toHaveLength(1)
    expect(balance).toMatchObject({ available_ms: 450_000, reserved_ms: 0, consumed_ms: 150_000 })
  })

  it('cuts at the exact sample when the credit of the account is used up', async () => {
    const account = await service.openAccount(90)
    const { told, close } = await streamUntilSpent(account, 100)
    expect(told.at(-1)).toBe('!audio_limit_reached')
    expect(close).toEqual([4999, 'toy audio_limit_reached'])
    expect(await service.ended(account)).toMatchObject({
      audio_ms: 90_000,
      billable_ms: 90_000,
      available_ms: 0,
    })
  })
})

async function streamUntilSpent(account: Customer, seconds: number) {
  const socket = connect(account.key)
  const heard = hear(socket)
  await once(socket, 'open')
  for (let sent = 0; sent < seconds; sent += 1) socket.send(Buffer.alloc(32_000))
  return heard
}
