// LiveKit's own plugin for Deepgram, unmodified, with our address and key. Needs `npm ci` in integrations/livekit.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  countWordErrors,
  MODELS_DIR,
  readSamples,
} from '../../../../server/test/support/recogniser/samples.ts'
import { createCustomer } from '../../../../server/test/support/service/customer.ts'
import { startTestService, type TestService } from '../../../../server/test/support/service/service.ts'

const folder = fileURLToPath(new URL('../..', import.meta.url))
const isInstalled = existsSync(join(folder, 'node_modules/@livekit/agents-plugin-deepgram'))
const FRAME_SAMPLES = 1_600
const NO_RETRIES = { maxRetry: 0, retryIntervalMs: 100, timeoutMs: 30_000 }

describe.skipIf(!isInstalled)("LiveKit's plugin for Deepgram", () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({
      env: { SAUTI_MODELS_DIR: MODELS_DIR, SAUTI_TLS: 'off', SAUTI_PUBLIC_URL: 'https://sauti.example' },
    })
    const { initializeLogger } = await import('@livekit/agents')
    initializeLogger({ pretty: false, level: 'silent' })
  })
  afterAll(() => service?.stop())

  async function setUp(language: string, { creditMs = 600_000, key = '' } = {}) {
    const [{ STT }, { AudioFrame }, { stt }] = await Promise.all([
      import('@livekit/agents-plugin-deepgram'),
      import('@livekit/rtc-node'),
      import('@livekit/agents'),
    ])
    const customer = await createCustomer(service.database, new Date(), { creditMs })
    const subject = new STT({
      apiKey: key || customer.key,
      baseUrl: `ws://127.0.0.1:${service.port}`,
      language,
    })
    const errors: { error: Error; recoverable: boolean }[] = []
    subject.on('error', error => errors.push(error))
    const frames = (pcm: Int16Array) =>
      Array.from({ length: Math.floor(pcm.length / FRAME_SAMPLES) }, (_, n) => {
        const data = pcm.slice(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES)
        return new AudioFrame(data, 16_000, 1, FRAME_SAMPLES)
      })
    return { subject, frames, errors, Type: stt.SpeechEventType }
  }

  test.each(['ki', 'luo'])('hears %s live', async language => {
    const { subject, frames, errors, Type } = await setUp(language)
    const { pcm, text } = readSamples(language)[0]!
    const stream = subject.stream()
    for (const frame of frames(pcm)) stream.pushFrame(frame)
    stream.flush()
    const finals: string[] = []
    const types = new Set<unknown>()
    for await (const event of stream) {
      types.add(event.type)
      if (event.type === Type.FINAL_TRANSCRIPT) finals.push(event.alternatives![0].text)
      if (event.type === Type.END_OF_SPEECH && countWordErrors(finals.join(' '), text) <= 2) break
    }
    stream.close()
    expect(errors).toEqual([])
    expect([...types]).toEqual(
      expect.arrayContaining([Type.START_OF_SPEECH, Type.INTERIM_TRANSCRIPT, Type.END_OF_SPEECH]),
    )
  })

  test.each(['ki', 'luo'])('hears a whole buffer in %s', async language => {
    const { subject, frames } = await setUp(language)
    const { pcm, text } = readSamples(language)[0]!
    const event = await subject.recognize(frames(pcm))
    expect(countWordErrors(event.alternatives![0].text, text)).toBeLessThanOrEqual(2)
  })

  test.each([
    ['a bad key', 401, { key: 'svc_live_v1_wrong' }],
    ['no credit', 402, { creditMs: 0 }],
  ])('gets the error for %s', async (_, status, options) => {
    const { subject, frames, errors } = await setUp('ki', options)
    const stream = subject.stream({ connOptions: NO_RETRIES as never })
    for (const frame of frames(new Int16Array(16_000))) stream.pushFrame(frame)
    for await (const _ of stream) expect.unreachable()
    expect(errors).toMatchObject([{ recoverable: false, error: { statusCode: status } }])
    await expect(subject.recognize(frames(new Int16Array(16_000)))).rejects.toThrow(String(status))
  })

  test('gets an error for an unknown language', async () => {
    const { subject, frames } = await setUp('sw')
    await expect(subject.recognize(frames(new Int16Array(16_000)))).rejects.toThrow(/status 400/)
  })
})
