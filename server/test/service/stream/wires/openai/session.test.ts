// OpenAI's realtime transcription, event by event, on a recogniser that writes down what it hears: one letter for each 100 ms.

import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../../support/service/scripted-service.ts'
import type { Message } from '../../../../support/streams/foreign-clients.ts'
import {
  COMPLETED,
  DELTA,
  hear,
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

describe('a session', () => {
  it('is created at once, takes a model, and sends deltas and completed items', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account)
    const heard = until(socket, COMPLETED, 2)
    update(socket, { transcription: { model: 'gpt-4o-transcribe', language: 'ki' }, ...MANUAL })
    for (let utterance = 0; utterance < 2; utterance += 1) {
      say(socket, 'input_audio_buffer.append', { audio: SECOND_24K })
      say(socket, 'input_audio_buffer.commit')
    }
    const told = await heard
    expect(typesOf(told).slice(0, 2)).toEqual(['session.created', 'session.updated'])
    expect(told[1]!.session).toMatchObject({
      type: 'transcription',
      audio: { input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: null } },
    })
    expect(told[1]!.session.audio.input.transcription.model).toBe('svc-asr-kikuyu-v1')
    const [first, second] = told.filter(({ type }) => type === COMPLETED) as [Message, Message]
    expect(first).toMatchObject({ content_index: 0, usage: { type: 'duration', seconds: 1 } })
    expect(first.transcript).toHaveLength(10)
    expect(second.item_id).not.toBe(first.item_id)
    const committed = told.filter(({ type }) => type === 'input_audio_buffer.committed')
    expect(committed).toMatchObject([
      { item_id: first.item_id, previous_item_id: null },
      { item_id: second.item_id, previous_item_id: first.item_id },
    ])
    const deltas = told.filter(({ type, item_id }) => type === DELTA && item_id === first.item_id)
    expect(deltas.map(({ delta }) => delta).join('')).toBe(first.transcript)
    expect(new Set(told.map(({ event_id }) => event_id)).size).toBe(told.length)
    expect(await service.ended(account)).toMatchObject({ status: 'completed', billable_ms: 2000 })
  })

  it('ends turns by itself, unless turn detection is off', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, COMPLETED)
    update(socket, { turn_detection: { type: 'server_vad', silence_duration_ms: 320, threshold: 0.5 } })
    const loud = Buffer.from(new Int16Array(24 * 640).fill(5_200).buffer)
    const audio = Buffer.concat([Buffer.alloc(48 * 320), loud, Buffer.alloc(48 * 960)])
    say(socket, 'input_audio_buffer.append', { audio: audio.toString('base64') })
    const told = await heard
    const updated = told.find(({ type }) => type === 'session.updated')!
    expect(updated.ignored).toEqual(['session.audio.input.turn_detection.threshold'])
    expect(updated.session.audio.input.turn_detection).toEqual({
      type: 'server_vad',
      silence_duration_ms: 320,
    })
    const events = told.filter(({ item_id, type }) => item_id !== undefined && type !== DELTA)
    expect(typesOf(events)).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      COMPLETED,
    ])
    expect(new Set(events.map(({ item_id }) => item_id)).size).toBe(1)
    expect(Math.abs(events[0]!.audio_start_ms - 320)).toBeLessThanOrEqual(32)
    expect(Math.abs(events[1]!.audio_end_ms - 960)).toBeLessThanOrEqual(32)
    await service.ended(account)
  })

  it('has nothing to commit where silence has just ended the turn', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, 'error')
    update(socket, { turn_detection: { type: 'server_vad', silence_duration_ms: 320 } })
    const loud = Buffer.from(new Int16Array(24 * 640).fill(5_200).buffer)
    const audio = Buffer.concat([loud, Buffer.alloc(48 * 352)])
    say(socket, 'input_audio_buffer.append', { audio: audio.toString('base64') })
    // The turn ends with the last frame of it, which nobody knows yet.
    say(socket, 'input_audio_buffer.commit', { event_id: 'mine' })
    const told = await heard
    expect(told.filter(({ type }) => type === COMPLETED)).toHaveLength(1)
    expect(told.at(-1)!.error).toMatchObject({ code: 'input_audio_buffer_commit_empty', event_id: 'mine' })
    await service.ended(account)
  })

  it('has its model from the address, where it is one of ours', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, COMPLETED)
    update(socket, MANUAL)
    say(socket, 'input_audio_buffer.append', { audio: SECOND_24K })
    say(socket, 'input_audio_buffer.commit')
    expect((await heard).at(-1)).toMatchObject({ type: COMPLETED })
    await service.ended(account)
  })

  it('supports the earlier version of the interface', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account)
    const heard = until(socket, COMPLETED)
    const input_audio_transcription = { model: 'svc-asr-dholuo-v1' }
    const session = { input_audio_format: 'g711_ulaw', input_audio_transcription, ...MANUAL }
    say(socket, 'transcription_session.update', { session })
    say(socket, 'input_audio_buffer.append', { audio: Buffer.alloc(16_000).toString('base64') })
    say(socket, 'input_audio_buffer.commit')
    const told = await heard
    expect(told[1]).toMatchObject({
      type: 'transcription_session.updated',
      session: { input_audio_format: 'g711_ulaw' },
    })
    expect(told.at(-1)).toMatchObject({ usage: { seconds: 2 } })
    expect(await service.ended(account)).toMatchObject({ billable_ms: 2000 })
  })

  it('discards what is cleared, and then has nothing to commit', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, 'error')
    update(socket, MANUAL)
    say(socket, 'input_audio_buffer.append', { audio: SECOND_24K })
    say(socket, 'input_audio_buffer.clear')
    // That there is nothing to commit is told at once, perhaps before the audio was taken; that it was cleared, only afterwards.
    await hear(socket, 'input_audio_buffer.cleared')
    say(socket, 'input_audio_buffer.commit', { event_id: 'mine' })
    const told = await heard
    expect(typesOf(told)).not.toContain(COMPLETED)
    expect(told.find(({ type }) => type === 'error')!.error).toMatchObject({
      code: 'input_audio_buffer_commit_empty',
      event_id: 'mine',
    })
    expect(await service.ended(account)).toMatchObject({ billable_ms: 1000 })
  })

  it('names what it ignores', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    const heard = until(socket, 'session.updated')
    update(socket, { noise_reduction: { type: 'near_field' }, colour: 'red' })
    expect((await heard).at(-1)!.ignored).toEqual([
      'session.audio.input.noise_reduction',
      'session.audio.input.colour',
    ])
    await service.ended(account)
  })

  it('gives the words of a prompt to the recogniser', async () => {
    const account = await service.openAccount()
    const socket = await open(service, account, MODEL)
    update(socket, { transcription: { model: 'svc-asr-kikuyu-v1', prompt: 'Wanjikũ, mũgũnda' }, ...MANUAL })
    say(socket, 'input_audio_buffer.append', { audio: SECOND_24K })
    await expect.poll(() => [...recogniser.streams].at(-1)?.settings.phrases).toEqual(['Wanjikũ', 'mũgũnda'])
    socket.close()
    await service.ended(account)
  })
})
