// OpenAI's realtime transcription, event by event, on a recogniser that writes down what it hears: one letter for each 100 ms.

import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../../support/service/scripted-service.ts'
import { hearAll, refusalOf } from '../../../../support/streams/foreign-clients.ts'
import { INTENT, MODEL, open, SECOND_24K, say, until, update } from './openai.ts'

const service = await openScriptedService({ recogniser: new ScriptedRecogniser() })

describe('errors', () => {
  it('are refused over HTTP in the form of OpenAI: a bad key, and no credit for the model of the address', async () => {
    const headers = { authorization: 'Bearer nonsense' }
    expect(await refusalOf(service, { path: INTENT, headers })).toMatchObject({
      status: 401,
      body: { error: { type: 'authentication_error', code: 'invalid_api_key', param: null } },
    })
    const { key } = await service.openAccount(0)
    const call = { path: MODEL, headers: { authorization: `Bearer ${key}` } }
    expect(await refusalOf(service, call)).toMatchObject({
      status: 402,
      body: { error: { code: 'insufficient_credits' } },
    })
  })

  it('say on the connection that there is no credit, where the session update named the model', async () => {
    const socket = await open(service, await service.openAccount(0))
    const heard = hearAll(socket)
    update(socket, { transcription: { language: 'luo' } })
    const { told, code, reason } = await heard
    expect(told.at(-1)!.error).toMatchObject({ type: 'insufficient_credits', code: 'insufficient_credits' })
    expect([code, reason]).toEqual([4402, 'insufficient_credits'])
  })

  it('say on the connection that another stream is open, and do not disturb that stream', async () => {
    const account = await service.openAccount()
    const first = await open(service, account, MODEL)
    const second = await open(service, account)
    const heard = hearAll(second)
    update(second, { transcription: { language: 'ki' } })
    expect(await heard).toMatchObject({ code: 4429, reason: 'concurrency_limit_exceeded' })
    expect(first.readyState).toBe(first.OPEN)
    first.close()
    await service.ended(account)
  })

  it('name the event that caused them, and too many end the session', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const heard = hearAll(socket)
    say(socket, 'response.create', { event_id: 'one' })
    say(socket, 'input_audio_buffer.append', { audio: '***', event_id: 'two' })
    update(socket, { format: { type: 'audio/opus' } }, { event_id: 'three' })
    say(socket, 'session.update', { session: { type: 'realtime' }, event_id: 'four' })
    socket.send('{')
    const { told, code } = await heard
    expect(told.slice(1).map(({ error }) => [error.code, error.event_id])).toEqual([
      ['unknown_message_type', 'one'],
      ['invalid_message', 'two'],
      ['invalid_message', 'three'],
      ['invalid_message', 'four'],
      ['too_many_invalid_messages', null],
    ])
    expect(code).toBe(4400)
    await service.ended(account)
  })

  it.each([
    ['audio before a model', 'input_audio_buffer.append', { audio: SECOND_24K }, 'Name a model'],
    ['an unknown language', 'session.update', transcription({ language: 'sw' }), 'is not known here'],
    [
      'an unknown turn detection',
      'session.update',
      input({ turn_detection: { type: 'semantic_vad' } }),
      'server_vad',
    ],
    ['no model at all', 'session.update', transcription({ model: 'whisper-1' }), 'Name a model'],
    [
      'a prompt that is too long',
      'session.update',
      transcription({ prompt: 'a'.repeat(2001) }),
      'at most 100',
    ],
  ])('%s is reported, and the connection stays', async (_, type, fields, words) => {
    const socket = await open(service, await service.openAccount())
    const heard = until(socket, 'error')
    say(socket, type, fields)
    expect((await heard).at(-1)!.error.message).toContain(words)
  })

  it('a model cannot change', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, 'error')
    update(socket, { transcription: { model: 'svc-asr-dholuo-v1' } })
    expect((await heard).at(-1)!.error.message).toContain('The session has the model svc-asr-kikuyu-v1')
    await service.ended(account)
  })

  it('more than 20 s in one event are refused, whatever the format', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, 'error')
    update(socket, { format: { type: 'audio/pcmu' } })
    say(socket, 'input_audio_buffer.append', { audio: Buffer.alloc(160_001).toString('base64') })
    expect((await heard).at(-1)!.error.message).toContain('at most 20 seconds')
    await service.ended(account)
  })
})

function input(input: object): object {
  return { session: { type: 'transcription', audio: { input } } }
}

function transcription(transcription: object): object {
  return input({ transcription })
}
