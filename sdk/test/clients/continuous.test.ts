// A stream of any length over any network, with the bundled models and a proxy that cuts connections at random moments.
// `npm run seams` runs it with 10 minutes of speech and 50 cuts; the check has time for less.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ContinuousEvent, type ContinuousStreamOptions, openContinuousStream } from '#sdk/index.js'
import { countWordErrors, MODELS_DIR } from '../../../server/test/support/recogniser/samples.ts'
import type { Customer, CustomerOptions } from '../../../server/test/support/service/customer.ts'
import { type Bench, startBench } from '../support/bench.ts'
import { makeRecording } from '../support/recording.ts'

const MINUTES = Number(process.env.SAUTI_SEAM_MINUTES ?? 1.2)
const CUTS = Number(process.env.SAUTI_SEAM_CUTS ?? 6)
const PIECE_SAMPLES = 1_600
const MODEL = 'svc-asr-kikuyu-v1'
const TIMEOUT_MS = 120_000 + MINUTES * 60_000

let bench: Bench
beforeAll(async () => {
  bench = await startBench({ SAUTI_MODELS_DIR: MODELS_DIR, SAUTI_SESSION_CREATIONS_PER_MINUTE: '600' })
})
afterAll(() => bench.stop())

interface Heard {
  readonly events: readonly ContinuousEvent[]
  readonly customer: Customer
  readonly summary: { readonly billed_ms: number; readonly is_exact: boolean; readonly audio_ms: number }
}

/** Speaks the recording; `beforePiece` may make it wait, or make something go wrong. */
async function speak(
  pcm: Int16Array,
  options: Partial<ContinuousStreamOptions> & { account?: CustomerOptions } = {},
  beforePiece: (index: number) => Promise<void> | undefined = () => undefined,
): Promise<Heard> {
  const customer = await bench.customer(options.account)
  const stream = openContinuousStream({
    model: MODEL,
    client: bench.client(customer.key),
    connect: (url, protocols) => new WebSocket(url, protocols, bench.service),
    ...options,
  })
  const events: ContinuousEvent[] = []
  const listening = (async () => {
    for await (const event of stream) events.push(event)
  })()
  // finish() reports it again, and is awaited.
  listening.catch(() => undefined)
  for (let start = 0; start < pcm.length; start += PIECE_SAMPLES) {
    await beforePiece(start / PIECE_SAMPLES)
    await stream.send(pcm.subarray(start, start + PIECE_SAMPLES))
  }
  const summary = await stream.finish()
  await listening
  return { events, customer, summary }
}

function finals({ events }: Heard) {
  return events.flatMap(event => (event.type === 'final' ? [event] : []))
}

async function consumedMs({ customer }: Heard): Promise<number> {
  return (await bench.directClient(customer.key).usage()).consumed_ms
}

describe('speech that is cut at random moments', () => {
  const recording = makeRecording('ki', MINUTES, 11)
  let whole: Heard

  beforeAll(async () => {
    whole = await speak(recording.pcm)
  }, TIMEOUT_MS)

  test('covers every sample once, in order, with linear times', () => {
    const parts = finals(whole)
    expect(parts.length).toBeGreaterThan(3)
    expect(parts[0]!.start_ms).toBe(0)
    expect(parts.at(-1)!.end_ms).toBe(Math.floor(recording.pcm.length / 16))
    for (const [index, part] of parts.entries()) expect(part.start_ms).toBe(parts[index - 1]?.end_ms ?? 0)
    const words = parts.flatMap(part => part.words)
    for (const [index, word] of words.entries())
      expect(word.start_ms).toBeGreaterThanOrEqual(words[index - 1]?.start_ms ?? 0)
  })

  test('says what it billed, to the millisecond', async () => {
    expect(whole.summary).toMatchObject({ is_exact: true, billed_ms: await consumedMs(whole) })
  })

  test(
    'has the same text, words and times as without cuts, and reports its cost',
    async () => {
      const pieces = Math.floor(recording.pcm.length / PIECE_SAMPLES)
      const cutBefore = new Set(
        Array.from({ length: CUTS }, (_, n) => Math.floor(((n + 0.5) * pieces) / CUTS)),
      )
      let cuts = 0
      const broken = await speak(recording.pcm, {}, async index => {
        if (!cutBefore.has(index)) return
        // Whatever it is doing then: asking for a session, opening it, speaking or waiting.
        await new Promise(resolve => setTimeout(resolve, Math.random() * 700))
        for (let tries = 0; bench.network.cut() === 0 && tries < 100; tries++)
          await new Promise(resolve => setTimeout(resolve, 20))
        cuts += 1
      })
      expect(cuts).toBe(CUTS)
      expect(finals(broken)).toEqual(finals(whole))
      expect(broken.events.filter(event => event.type === 'waiting').length).toBeGreaterThan(CUTS / 4)
      expect(broken.summary).toMatchObject({ is_exact: true, billed_ms: await consumedMs(broken) })
      const sessions = broken.events.filter(event => event.type === 'session').length
      process.stdout.write(
        `${MINUTES} minutes, ${cuts} cuts, ${sessions} sessions: the same ${finals(whole).length} utterances; ` +
          `billed ${broken.summary.billed_ms / 1000} s for ${whole.summary.billed_ms / 1000} s of speech\n`,
      )
    },
    TIMEOUT_MS,
  )

  test(
    'rolls over at pauses, and the text does not depend on where',
    async () => {
      const account = { concurrency: 2 }
      const short = await speak(recording.pcm.subarray(0, 60 * 16_000), { sessionSeconds: 62, account })
      const long = await speak(recording.pcm.subarray(0, 60 * 16_000), { sessionSeconds: 90, account })
      const shorter = await speak(recording.pcm.subarray(0, 60 * 16_000), { sessionSeconds: 60, account })
      const sessions = [short, long, shorter].map(
        ({ events }) => events.filter(event => event.type === 'session').length,
      )
      expect(Math.max(...sessions)).toBeGreaterThan(1)
      expect(finals(short)).toEqual(finals(long))
      expect(finals(shorter)).toEqual(finals(long))
    },
    TIMEOUT_MS,
  )
})

test(
  'where the service ends utterances, their text covers every sample once, also after a cut',
  async () => {
    const { pcm } = makeRecording('ki', 0.5, 3)
    const settings = { endpointing: { silenceMs: 400 } }
    const whole = await speak(pcm, { settings })
    const parts = finals(whole)
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.at(-1)!.end_ms).toBe(Math.floor(pcm.length / 16))
    for (const [index, part] of parts.entries()) expect(part.start_ms).toBe(parts[index - 1]?.end_ms ?? 0)
    const speech = whole.events.flatMap(({ type }) => (type.startsWith('speech_') ? [type] : []))
    expect(speech.slice(0, 3)).toEqual(['speech_started', 'speech_ended', 'speech_started'])
    let isCut = false
    const broken = await speak(pcm, { settings }, async index => {
      if (isCut || index * PIECE_SAMPLES < pcm.length / 2) return
      isCut = bench.network.cut() > 0
    })
    expect(isCut).toBe(true)
    // Where it begins again, voice detection does too, so an end may move a little within its pause.
    const text = (heard: Heard) =>
      finals(heard)
        .flatMap(final => final.text || [])
        .join(' ')
    expect(countWordErrors(text(broken), text(whole))).toBeLessThanOrEqual(1)
  },
  TIMEOUT_MS,
)

test(
  'where the service ends utterances, they end at the same samples however fast the audio comes',
  async () => {
    const { pcm } = makeRecording('ki', 0.5, 4)
    const options = {
      settings: { endpointing: { silenceMs: 400 } },
      sessionSeconds: 20,
      account: { concurrency: 2 },
    }
    const fast = await speak(pcm, options)
    const slow = await speak(pcm, options, () => new Promise(resolve => setTimeout(resolve, 15)))
    expect(fast.events.filter(({ type }) => type === 'session').length).toBeGreaterThan(1)
    expect(finals(fast).length).toBeGreaterThan(3)
    expect(finals(slow)).toEqual(finals(fast))
  },
  TIMEOUT_MS,
)

test('a flush ends the utterance there', async () => {
  const { pcm } = makeRecording('ki', 0.1)
  const customer = await bench.customer()
  const stream = openContinuousStream({
    model: MODEL,
    client: bench.client(customer.key),
    connect: (url, protocols) => new WebSocket(url, protocols, bench.service),
  })
  const ends: number[] = []
  stream.on('final', ({ end_ms }) => ends.push(end_ms))
  await stream.send(pcm.subarray(0, 32_000))
  await stream.flush()
  expect(ends).toEqual([2_000])
  expect(stream.state).toBe('streaming')
  await stream.send(new Uint8Array(pcm.buffer, 64_000, 16_001))
  await stream.send(new Uint8Array(pcm.buffer, 80_001, 15_999))
  expect(await stream.finish()).toMatchObject({
    audio_ms: 3_000,
    billed_ms: 3_000,
    is_exact: true,
    sessions: 1,
  })
  expect(stream.state).toBe('completed')
  await expect(stream.send(pcm)).rejects.toMatchObject({ code: 'closed_by_caller' })
})

test('lasting errors end it at once: no credit, a wrong key, a wrong model', async () => {
  const { pcm } = makeRecording('ki', 0.05)
  await expect(speak(pcm, { account: { creditMs: 0 } })).rejects.toMatchObject({
    code: 'insufficient_credits',
  })
  await expect(speak(pcm, { client: bench.client('svc_live_v1_wrong') })).rejects.toMatchObject({
    code: 'invalid_api_key',
  })
  await expect(speak(pcm, { model: 'svc-asr-klingon-v1' })).rejects.toMatchObject({ code: 'model_not_found' })
  expect(() => openContinuousStream({ model: MODEL })).toThrow(/client/)
})

test('nothing is reserved for a stream without audio', async () => {
  const heard = await speak(new Int16Array(0))
  expect(heard).toMatchObject({ events: [], summary: { audio_ms: 0, billed_ms: 0, sessions: 0 } })
  expect((await bench.directClient(heard.customer.key).usage()).recent_sessions).toEqual([])
})

test('a page asks its own server for sessions, and estimates the cost as well as it can', async () => {
  const { pcm } = makeRecording('luo', 0.1)
  const customer = await bench.customer()
  const server = bench.client(customer.key)
  const heard = await speak(pcm, {
    client: undefined as never,
    model: 'svc-asr-dholuo-v1',
    createSession: (wish, { idempotencyKey }) => server.createSession(wish, { idempotencyKey }),
  })
  expect(heard.summary.billed_ms).toBe(Math.ceil(pcm.length / 16_000) * 1000)
})

test('aborting ends it without its text', async () => {
  const customer = await bench.customer()
  const over = new AbortController()
  const stream = openContinuousStream({
    model: MODEL,
    client: bench.client(customer.key),
    connect: (url, protocols) => new WebSocket(url, protocols, bench.service),
    signal: over.signal,
  })
  await stream.send(new Int16Array(16_000))
  over.abort(new Error('enough'))
  await expect(stream.closed).rejects.toThrow('enough')
  expect(stream.state).toBe('failed')
})
