// Deepgram's own client from npm, unmodified, against this service and its bundled models: only the address and the key differ.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DeepgramClient } from '@deepgram/sdk'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countWordErrors, MODELS_DIR, readSamples } from '../../support/recogniser/samples.ts'
import { createCustomer } from '../../support/service/customer.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import type { Message } from '../../support/streams/foreign-clients.ts'

const FRAME_SAMPLES = 1_600

let service: TestService

beforeAll(async () => {
  service = await startTestService({
    env: { SAUTI_MODELS_DIR: MODELS_DIR, SAUTI_TLS: 'off', SAUTI_PUBLIC_URL: 'https://sauti.example' },
  })
})
afterAll(() => service.stop())

function clientOf(key: string): DeepgramClient {
  const [http, ws] = [`http://127.0.0.1:${service.port}`, `ws://127.0.0.1:${service.port}`]
  return new DeepgramClient({ apiKey: key, environment: { base: http, production: ws, agent: ws } as never })
}

interface Heard {
  readonly messages: readonly Message[]
  readonly errors: readonly string[]
}

async function stream(key: string, options: Message, pcm: Int16Array): Promise<Heard> {
  const messages: Message[] = []
  const connection = await clientOf(key).listen.v1.connect({
    Authorization: `Token ${key}`,
    reconnectAttempts: 0,
    ...options,
  } as never)
  connection.on('message', message => void messages.push(message))
  const errors: string[] = []
  connection.on('error', error => void errors.push(error.message))
  const closed = new Promise<void>(resolve => connection.on('close', () => resolve()))
  connection.on('open', () => {
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
      connection.sendMedia(pcm.slice(at, at + FRAME_SAMPLES).buffer)
    }
    connection.sendCloseStream({ type: 'CloseStream' })
  })
  connection.connect()
  await closed
  // The client may report a refused handshake after its close event.
  if (messages.length === 0) await expect.poll(() => errors).not.toEqual([])
  return { errors, messages }
}

function transcriptOf({ messages }: Heard): string {
  const finals = messages.filter(({ type, is_final }) => type === 'Results' && is_final)
  return finals.map(({ channel }) => channel.alternatives[0].transcript).join(' ')
}

describe("Deepgram's client for files", () => {
  it.each(['ki', 'luo'])('hears %s', async language => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 600_000 })
    const sample = readSamples(language)[0]!
    const answer: Message = await clientOf(key).listen.v1.media.transcribeFile(readFileSync(sample.path), {
      language,
      utterances: true,
      smart_format: true,
    })
    const [{ transcript, words }] = answer.results.channels[0].alternatives
    expect(countWordErrors(transcript, sample.text)).toBeLessThanOrEqual(sample.text.split(' ').length / 2)
    expect(words.length).toBeGreaterThan(0)
    expect(answer.results.utterances.length).toBeGreaterThan(0)
    expect(answer.metadata).toMatchObject({ channels: 1, warnings: [{ parameter: 'smart_format' }] })
    expect(answer.metadata.duration).toBeCloseTo(sample.pcm.length / 16_000, 1)
  })

  it.each([
    [400, 'a file that is none', 600_000, Buffer.from('no sound at all '.repeat(1000))],
    [402, 'no credit', 0, readFileSync(readSamples('ki')[0]!.path)],
  ])('is told %i for %s', async (status, _, creditMs, file) => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs })
    const asked = clientOf(key).listen.v1.media.transcribeFile(file, { language: 'ki' }, { maxRetries: 0 })
    await expect(asked).rejects.toMatchObject({ statusCode: status })
  })

  it('gets an error for a bad key', async () => {
    const client = clientOf('svc_live_v1_nonsense')
    const asked = client.listen.v1.media.transcribeFile(
      Buffer.alloc(100),
      { language: 'ki' },
      { maxRetries: 0 },
    )
    await expect(asked).rejects.toMatchObject({ statusCode: 401 })
  })
})

it('answers what the OpenAPI document says', async () => {
  const { key } = await createCustomer(service.database, new Date(), { creditMs: 600_000 })
  const base = `http://127.0.0.1:${service.port}`
  const api = (await (await fetch(`${base}/openapi.json`)).json()) as Message
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(api, 'api')
  const post = (query: string, token = key) =>
    fetch(`${base}/v1/listen?${query}`, {
      method: 'POST',
      headers: { authorization: `Token ${token}`, 'content-type': 'audio/wav' },
      body: readFileSync(readSamples('ki')[0]!.path),
    })
  const answers = [
    await post('language=ki&utterances=true&punctuate=true'),
    await post('language=ki&diarize=true'),
    await post('language=ki', 'nonsense'),
    await post('model=another'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 404])
  for (const answer of answers) {
    const { content } = api.paths['/v1/listen'].post.responses[answer.status]
    const validate = ajv.compile({ $ref: `api${content['application/json'].schema.$ref}` })
    expect(validate(await answer.json()), JSON.stringify(validate.errors)).toBe(true)
  }
})

describe("Deepgram's live client", () => {
  it.each(['ki', 'luo'])('hears %s', async language => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 600_000 })
    const sample = readSamples(language)[0]!
    const options = {
      model: 'nova-3',
      language,
      encoding: 'linear16',
      sample_rate: 16_000,
      interim_results: true,
    }
    const heard = await stream(key, options, sample.pcm)
    expect(heard.errors).toEqual([])
    const words = sample.text.split(' ').length
    expect(countWordErrors(transcriptOf(heard), sample.text)).toBeLessThanOrEqual(words / 2)
    expect(heard.messages.at(-1)).toMatchObject({
      type: 'Metadata',
      duration: Math.floor(sample.pcm.length / 16) / 1000,
    })
    const results = heard.messages.filter(({ type }) => type === 'Results')
    expect(results.filter(({ is_final }) => !is_final).length).toBeGreaterThan(0)
    for (const { channel, start: startOfResult, duration } of results) {
      const [{ transcript, words: told }] = channel.alternatives
      expect(told.map(({ word }: Message) => word).join(' ')).toBe(transcript)
      for (const { confidence, start, end } of told) {
        expect(confidence).toBeGreaterThan(0)
        expect(end).toBeGreaterThanOrEqual(start)
        expect(start).toBeGreaterThanOrEqual(startOfResult)
        expect(end).toBeLessThanOrEqual(startOfResult + duration)
      }
    }
  })

  it('gets an error for a bad key', async () => {
    const { errors } = await stream(
      `svc_live_v1_${randomUUID()}`,
      { model: 'nova-3', language: 'ki' },
      new Int16Array(0),
    )
    expect(errors.join()).toContain('401')
  })

  it('gets an error for an unknown audio format', async () => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 600_000 })
    const { errors } = await stream(key, { language: 'ki', encoding: 'speex' }, new Int16Array(0))
    expect(errors.join()).toContain('400')
  })

  it('gets an error without credit', async () => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 0 })
    const options = { model: 'nova-3', language: 'ki', encoding: 'mulaw' }
    const { errors } = await stream(key, options, new Int16Array(0))
    expect(errors.join()).toContain('402')
  })
})
