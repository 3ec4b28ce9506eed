// OpenAI's realtime transcription, event by event, on a recogniser that writes down what it hears: one letter for each 100 ms.

import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../../support/service/scripted-service.ts'
import { connectForeign, hearAll, refusalOf } from '../../../../support/streams/foreign-clients.ts'
import { INTENT, MODEL, open, say } from './openai.ts'

const service = await openScriptedService({ recogniser: new ScriptedRecogniser() })

describe('clients that never name a model', () => {
  it('are limited per account, and leave nothing behind', async () => {
    const { key } = await service.openAccount()
    const call = { path: INTENT, headers: { authorization: `Bearer ${key}` } }
    const waiting = await Promise.all(Array.from({ length: 4 }, () => connectForeign(service, call)))
    await Promise.all(waiting.map(socket => once(socket, 'open')))
    expect(await refusalOf(service, call)).toMatchObject({ status: 429 })
    const closed = waiting.map(socket => once(socket, 'close'))
    const before = performance.now()
    for (const socket of waiting) socket.close()
    await Promise.all(closed)
    expect(performance.now() - before).toBeLessThan(4_000)
    const next = connectForeign(service, call)
    await once(next, 'open')
    next.terminate()
  })
})

it('pays a minute at a time and cuts at the exact sample', async () => {
  const account = await service.openAccount(70)
  const socket = await open(service, account, MODEL)
  const heard = hearAll(socket)
  const audio = Buffer.alloc(48_000 * 15).toString('base64')
  for (let sent = 0; sent < 6; sent += 1) say(socket, 'input_audio_buffer.append', { audio })
  const { told, reason } = await heard
  expect(told.at(-1)!.error.code).toBe('audio_limit_reached')
  expect(reason).toBe('audio_limit_reached')
  expect(await service.ended(account)).toMatchObject({
    audio_ms: 70_000,
    billable_ms: 70_000,
    available_ms: 0,
  })
})
