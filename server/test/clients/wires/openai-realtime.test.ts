// OpenAI's own client from npm, unmodified, in a realtime transcription session with this service and its bundled models.

import { once } from 'node:events'
import { createResampler, floatToPcm16 } from '@sauti/client/speech'
import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countWordErrors, MODELS_DIR, readSamples } from '../../support/recogniser/samples.ts'
import { createCustomer } from '../../support/service/customer.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'

const RATE_HZ = 24_000
const FRAME_BYTES = 9_600

let service: TestService

beforeAll(async () => {
  service = await startTestService({ env: { SAUTI_MODELS_DIR: MODELS_DIR } })
})
afterAll(() => service.stop())

function connect(apiKey: string, model: string): OpenAIRealtimeWS {
  const client = new OpenAI({ apiKey, baseURL: `${service.baseUrl}/v1` })
  return new OpenAIRealtimeWS({ model, options: { ca: service.ca } }, client)
}

/** What OpenAI's interface takes. */
function to24k(pcm: Int16Array): Buffer {
  const resampler = createResampler(16_000, RATE_HZ)
  const body = resampler.push(Float32Array.from(pcm, sample => sample / 32_768))
  return Buffer.concat([body, resampler.flush()].map(part => Buffer.from(floatToPcm16(part).buffer)))
}

function speak(session: OpenAIRealtimeWS, audio: Buffer): void {
  for (let at = 0; at < audio.length; at += FRAME_BYTES) {
    const piece = audio.subarray(at, at + FRAME_BYTES).toString('base64')
    session.send({ type: 'input_audio_buffer.append', audio: piece })
  }
}

describe("OpenAI's realtime client", () => {
  it.each(['ki', 'luo'])('hears %s', async language => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 600_000 })
    const sample = readSamples(language)[0]!
    const session = connect(key, 'gpt-realtime')
    const errors: string[] = []
    const deltas: string[] = []
    session.on('error', error => void errors.push(error.message))
    session.on(
      'conversation.item.input_audio_transcription.delta',
      ({ delta }) => void deltas.push(delta ?? ''),
    )
    const completed = new Promise<string>(resolve => {
      session.on('conversation.item.input_audio_transcription.completed', event => resolve(event.transcript))
    })
    session.on('session.created', () => {
      session.send({
        type: 'session.update',
        session: {
          type: 'transcription',
          audio: { input: { transcription: { model: 'gpt-4o-transcribe', language }, turn_detection: null } },
        },
      })
      speak(session, to24k(sample.pcm))
      session.send({ type: 'input_audio_buffer.commit' })
    })
    const transcript = await completed
    session.close()
    await once(session.socket, 'close')
    expect(errors).toEqual([])
    expect(deltas.join('').trim()).not.toBe('')
    const words = sample.text.split(' ').length
    expect(countWordErrors(transcript, sample.text)).toBeLessThanOrEqual(words / 2)
  })

  it('gets an error for invalid audio', async () => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 600_000 })
    const session = connect(key, 'svc-asr-dholuo-v1')
    session.on('session.created', () => {
      session.send({ type: 'input_audio_buffer.append', audio: 'no base64 at all', event_id: 'first' })
    })
    const error = await new Promise(resolve => session.on('error', ({ error }) => resolve(error)))
    expect(error).toMatchObject({ code: 'invalid_message', event_id: 'first' })
    session.close()
    await once(session.socket, 'close')
  })

  it('gets an error for a bad key', async () => {
    const session = connect('svc_live_v1_nonsense', 'svc-asr-kikuyu-v1')
    const message = await new Promise<string>(resolve => session.on('error', error => resolve(error.message)))
    expect(message).toContain('401')
  })

  it('gets an error without credit: at the handshake, or when it has named the model', async () => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 0 })
    const first = connect(key, 'svc-asr-kikuyu-v1')
    expect(await new Promise(resolve => first.on('error', error => resolve(error.message)))).toContain('402')
    const second = connect(key, 'gpt-realtime')
    second.on('session.created', () => {
      const audio = { input: { transcription: { language: 'ki' } } }
      second.send({ type: 'session.update', session: { type: 'transcription', audio } })
    })
    expect(await new Promise(resolve => second.on('error', ({ error }) => resolve(error)))).toMatchObject({
      type: 'insufficient_credits',
      code: 'insufficient_credits',
    })
    await once(second.socket, 'close')
  })
})
