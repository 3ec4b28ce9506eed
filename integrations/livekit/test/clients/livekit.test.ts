// LiveKit's real package with our STT against the real service. Needs `npm ci` in integrations/livekit.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../../sdk/test/support/bench.ts'
import { makeRecording } from '../../../../sdk/test/support/recording.ts'
import {
  countWordErrors,
  MODELS_DIR,
  readSamples,
} from '../../../../server/test/support/recogniser/samples.ts'

const folder = fileURLToPath(new URL('../..', import.meta.url))
const isInstalled = existsSync(join(folder, 'node_modules/@livekit/agents'))
const FRAME_SAMPLES = 320

describe.skipIf(!isInstalled)('LiveKit agents', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await startBench({ SAUTI_MODELS_DIR: MODELS_DIR })
    const { initializeLogger } = await import('@livekit/agents')
    initializeLogger({ pretty: false, level: 'error' })
  })
  afterAll(() => bench?.stop())

  async function setUp(options: object = {}, key?: string) {
    const [{ STT }, { AudioFrame }, { stt }] = await Promise.all([
      import('../../src/index.ts'),
      import('@livekit/rtc-node'),
      import('@livekit/agents'),
    ])
    const customer = await bench.customer()
    const ca = join(bench.service.dataDir, 'tls', 'ca.pem')
    const settings = {
      baseUrl: bench.baseUrl,
      apiKey: key ?? customer.key,
      ca,
      model: 'svc-asr-kikuyu-v1',
      ...options,
    }
    const subject = new STT(settings)
    const errors: { error: Error; recoverable: boolean }[] = []
    subject.on('error', error => errors.push(error))
    const frames = (pcm: Int16Array) =>
      Array.from({ length: Math.floor(pcm.length / FRAME_SAMPLES) }, (_, n) => {
        const data = pcm.slice(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES)
        return new AudioFrame(data, 16_000, 1, FRAME_SAMPLES)
      })
    return { subject, frames, errors, Type: stt.SpeechEventType, customer }
  }

  test('interim, final, start and end of speech, words and usage', async () => {
    const { subject, frames, Type } = await setUp({ keyterms: ['wathani'] })
    const { pcm, sentences } = makeRecording('ki', 0.3)
    const metrics: { audioDurationMs: number }[] = []
    subject.on('metrics_collected', one => metrics.push(one))
    const stream = subject.stream()
    for (const frame of frames(pcm)) stream.pushFrame(frame)
    stream.endInput()
    const events = []
    for await (const event of stream) events.push(event)
    const types = events.map(event => event.type)
    expect(types[0]).toBe(Type.START_OF_SPEECH)
    expect(types).toContain(Type.INTERIM_TRANSCRIPT)
    expect(types.filter(type => type === Type.START_OF_SPEECH).length).toBe(
      types.filter(type => type === Type.END_OF_SPEECH).length,
    )
    const finals = events
      .filter(event => event.type === Type.FINAL_TRANSCRIPT)
      .map(event => event.alternatives![0])
    expect(finals.length).toBeGreaterThan(1)
    const text = finals.map(({ text }) => text).join(' ')
    const said = sentences.map(sentence => sentence.text).join(' ')
    expect(countWordErrors(text, said) / said.split(' ').length).toBeLessThan(0.3)
    expect(finals[0]).toMatchObject({ language: 'ki' })
    expect(finals[0]!.words!.map(word => word.text).join(' ')).toBe(finals[0]!.text)
    const heardMs = metrics.reduce((sum, one) => sum + one.audioDurationMs, 0)
    expect(Math.abs(heardMs - pcm.length / 16)).toBeLessThan(100)
  })

  test('a flush ends the utterance, and a stream spans several sessions', async () => {
    const { subject, frames, Type, customer } = await setUp({ sessionSeconds: 20, silenceMs: 400 })
    const { pcm } = makeRecording('ki', 0.6)
    const stream = subject.stream()
    for (const frame of frames(pcm.subarray(0, 48_000))) stream.pushFrame(frame)
    stream.flush()
    for (const frame of frames(pcm.subarray(48_000))) stream.pushFrame(frame)
    stream.endInput()
    let finals = 0
    for await (const event of stream) finals += event.type === Type.FINAL_TRANSCRIPT ? 1 : 0
    expect(finals).toBeGreaterThan(2)
    const { recent_sessions } = await bench.directClient(customer.key).usage()
    expect(recent_sessions.length).toBeGreaterThan(1)
  })

  test('a whole buffer, in Dholuo', async () => {
    const { subject, frames } = await setUp({ model: 'svc-asr-dholuo-v1' })
    const sample = readSamples('luo')[0]!
    const event = await subject.recognize(frames(sample.pcm))
    expect(countWordErrors(event.alternatives![0].text, sample.text)).toBeLessThanOrEqual(3)
  })

  test('a wrong key is an error that is not tried again', async () => {
    const { subject, frames, errors } = await setUp({}, 'svc_live_v1_wrong')
    const stream = subject.stream()
    for (const frame of frames(new Int16Array(16_000))) stream.pushFrame(frame)
    stream.endInput()
    for await (const _ of stream) expect.unreachable()
    expect(errors).toMatchObject([{ recoverable: false, error: { statusCode: 401, retryable: false } }])
  })
})
