// Deepgram's live protocol, message by message, on a recogniser that writes down what it hears: one letter for each 100 ms.

import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../../support/service/scripted-service.ts'
import { hearAll, refusalOf } from '../../../../support/streams/foreign-clients.ts'
import { call, open, RAW, SECOND, say } from './deepgram.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })
afterEach(() => recogniser.setStalled(false))

describe('refusals', () => {
  it.each([
    ['no key', {}],
    ['a bad key', { authorization: 'Token nonsense' }],
  ])('%s is 401', async (_, headers) => {
    const { status, body } = await refusalOf(service, { path: `/v1/listen?${RAW}`, headers })
    expect(status).toBe(401)
    expect(body).toMatchObject({ err_code: 'INVALID_AUTH' })
  })

  it('a second stream of the account is 429, and no credit is 402', async () => {
    const account = await service.openAccount(1)
    const socket = await open(service, account)
    expect(await refusalOf(service, call(account))).toMatchObject({
      status: 429,
      body: { err_code: 'TOO_MANY_REQUESTS' },
    })
    const heard = hearAll(socket)
    socket.send(SECOND)
    socket.send(SECOND)
    const { told, code, reason } = await heard
    expect(told.at(-1)).toMatchObject({ type: 'Error', variant: 'audio_limit_reached' })
    expect([code, reason]).toEqual([1008, 'audio_limit_reached'])
    expect(await service.ended(account)).toMatchObject({ billable_ms: 1000, available_ms: 0 })
    expect(await refusalOf(service, call(account))).toMatchObject({
      status: 402,
      body: { err_code: 'ASR_PAYMENT_REQUIRED' },
    })
  })

  it('invalid messages are reported, and too many end the stream', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account)
    const heard = hearAll(socket)
    for (const text of ['{', '[]', 'null', '{"type":"Configure"}', '{"type":7}']) socket.send(text)
    const { told, code, reason } = await heard
    expect(told.map(({ variant }) => variant)).toEqual([
      'invalid_json',
      'unknown_message_type',
      'unknown_message_type',
      'unknown_message_type',
      'too_many_invalid_messages',
    ])
    expect([code, reason]).toEqual([1008, 'too_many_invalid_messages'])
    await service.ended(account)
  })

  it('an invalid message is refused after the result of the Finalize before it', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account)
    const heard = hearAll(socket)
    recogniser.setStalled(true)
    socket.send(SECOND)
    say(socket, 'Finalize')
    socket.send('{')
    say(socket, 'CloseStream')
    socket.ping()
    await once(socket, 'pong')
    recogniser.setStalled(false)
    expect((await heard).told).toMatchObject([
      { type: 'Results', from_finalize: true },
      { type: 'Error', variant: 'invalid_json' },
      { type: 'Metadata' },
    ])
    await service.ended(account)
  })

  it('a binary message that is too large ends the stream and says how large it may be', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account)
    const heard = hearAll(socket)
    socket.send(Buffer.alloc(128 * 1024 + 1))
    const { told, code } = await heard
    expect(told.at(-1)).toMatchObject({
      variant: 'frame_too_large',
      message: expect.stringContaining('131072'),
    })
    expect(code).toBe(1009)
    await service.ended(account)
  })
})

describe('a hostile client', () => {
  it('that sends faster than the recogniser works is read more slowly, and nothing is lost', async () => {
    recogniser.setStalled(true)
    const account = await service.openAccount()
    const socket = await open(service, account)
    const heard = hearAll(socket)
    for (let sent = 0; sent < 200; sent += 1) socket.send(SECOND)
    say(socket, 'CloseStream')
    await new Promise(resolve => setTimeout(resolve, 500))
    const queued = [...recogniser.streams].reduce((sum, stream) => sum + stream.queuedSamples, 0)
    expect(queued).toBeLessThan(16_000 * 20)
    recogniser.setStalled(false)
    expect((await heard).told.at(-1)).toMatchObject({ type: 'Metadata', duration: 200 })
    expect(await service.ended(account)).toMatchObject({ billable_ms: 200_000 })
  })
})
