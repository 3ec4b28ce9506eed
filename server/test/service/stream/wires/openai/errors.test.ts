// OpenAI's realtime transcription, event by event, on a recogniser that writes down what it hears: one letter for each 100 ms.

import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../../support/service/scripted-service.ts'
import { hearAll, refusalOf } from '../../../../support/streams/foreign-clients.ts'
import {
  COMPLETED,
  hear,
  INTENT,
  MANUAL,
  MODEL,
  open,
  SECOND_24K,
  say,
  typesOf,
  until,
  update,
} from './openai.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })
afterEach(() => recogniser.setStalled(false))

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

  it('and all other answers come in the order of the events that caused them', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const updated = hear(socket, 'session.updated')
    update(socket, MANUAL)
    await updated
    recogniser.setStalled(true)
    const heard = until(socket, 'session.updated', 2)
    say(socket, 'input_audio_buffer.append', { audio: SECOND_24K })
    say(socket, 'input_audio_buffer.commit')
    say(socket, 'input_audio_buffer.commit', { event_id: 'empty' })
    update(socket, { format: { type: 'audio/pcmu' } })
    say(socket, 'input_audio_buffer.clear')
    socket.send(Buffer.alloc(320))
    say(socket, 'response.create', { event_id: 'unknown' })
    update(socket, { format: { type: 'audio/pcma' } })
    socket.ping()
    await once(socket, 'pong')
    recogniser.setStalled(false)
    const told = (await heard).filter(({ type }) => !type.endsWith('.delta'))
    expect(typesOf(told)).toEqual([
      'input_audio_buffer.committed',
      COMPLETED,
      'error',
      'session.updated',
      'input_audio_buffer.cleared',
      'error',
      'error',
      'session.updated',
    ])
    const ids = told.filter(({ type }) => type === 'error').map(({ error }) => error.event_id)
    expect(ids).toEqual(['empty', null, 'unknown'])
    const formats = told
      .filter(({ session }) => session)
      .map(({ session }) => session.audio.input.format.type)
    expect(formats).toEqual(['audio/pcmu', 'audio/pcma'])
    await service.ended(account)
  })

  it('come in order before the recogniser is ready, too', async () => {
    const account = await service.openAccount()
    const ready = recogniser.holdOpening()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, 'session.updated')
    say(socket, 'input_audio_buffer.clear')
    socket.send(Buffer.alloc(320))
    update(socket, { format: { type: 'audio/pcmu' } })
    socket.ping()
    await once(socket, 'pong')
    ready()
    expect(typesOf(await heard).slice(-3)).toEqual(['input_audio_buffer.cleared', 'error', 'session.updated'])
    await service.ended(account)
  })

  it('come at once before the recogniser is ready where nothing else is to be answered', async () => {
    const account = await service.openAccount()
    const ready = recogniser.holdOpening()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, 'session.updated')
    socket.send(Buffer.alloc(320))
    update(socket, { format: { type: 'audio/pcmu' } })
    expect(typesOf(await heard).slice(-2)).toEqual(['error', 'session.updated'])
    ready()
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
