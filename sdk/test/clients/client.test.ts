// The server half against the real service.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SautiClient } from '#sdk/index.js'
import { createTransport } from '#sdk/node/transport.js'
import { type Bench, startBench } from '../support/bench.ts'
import { makeWav } from '../support/sounds.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const MODEL = 'svc-asr-kikuyu-v1'

async function clientOf(options: Parameters<Bench['customer']>[0] = {}): Promise<SautiClient> {
  return bench.client((await bench.customer(options)).key)
}

test('models are listed without a key', async () => {
  const models = await bench.client().models()
  expect(models.map(model => model.language_code).sort()).toEqual(['ki', 'luo'])
})

test('a session is created, shows in the usage, and a repeated idempotency key gives the same one', async () => {
  const client = await clientOf({ creditMs: 100_000 })
  const session = await client.createSession(
    { model: MODEL, max_audio_seconds: 30 },
    { idempotencyKey: 'one' },
  )
  expect(session).toMatchObject({ model: MODEL, credits: { reserved: 30, remaining: 70 } })
  const again = await client.createSession({ model: MODEL, max_audio_seconds: 30 }, { idempotencyKey: 'one' })
  expect(again).toEqual(session)
  const usage = await client.usage()
  expect(usage).toMatchObject({ available_ms: 70_000, reserved_ms: 30_000 })
  expect(usage.recent_sessions[0]).toMatchObject({ id: session.id, status: 'reserved' })
})

describe('refusals have status, type, code and request id', () => {
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)

  test('401: the key is not known', async () => {
    const unknown = bench.client('svc_live_v1_nobody')
    await expect(unknown.usage()).rejects.toMatchObject({
      name: 'SautiApiError',
      status: 401,
      type: 'authentication_error',
      code: 'invalid_api_key',
      requestId: uuid,
    })
  })

  test('402: no credit', async () => {
    const client = await clientOf({ creditMs: 999 })
    await expect(client.createSession({ model: MODEL })).rejects.toMatchObject({
      status: 402,
      type: 'insufficient_credits',
      code: 'insufficient_credits',
      requestId: uuid,
    })
  })

  test('404: no such model', async () => {
    const client = await clientOf()
    await expect(client.createSession({ model: 'svc-asr-klingon-v1' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
  })

  test('429: the account has a session already; the retry waits as long as it is told and succeeds', async () => {
    const client = await clientOf()
    const live = bench.open(await client.createSession({ model: MODEL }))
    await live.ready
    await expect(client.createSession({ model: MODEL }, { maxRetries: 0 })).rejects.toMatchObject({
      status: 429,
      code: 'concurrency_limit_exceeded',
      retryAfterSeconds: 5,
    })
    const waits: number[] = []
    const onRetry = (_: unknown, delayMs: number) => {
      waits.push(delayMs)
      void live.close()
    }
    const second = await client.createSession({ model: MODEL }, { onRetry, random: () => 0 })
    expect(second.status).toBe('reserved')
    expect(waits).toEqual([5_000])
  })
})

test('503 with retry: no capacity, then there is; and a service that drains', async () => {
  const small = await startBench({ SAUTI_MAX_STREAMS: '1' })
  const [first, second] = [await small.customer({ concurrency: 2 }), await small.customer()].map(({ key }) =>
    small.client(key),
  )
  // The second is told to come back when the first must be over.
  const live = small.open(await first!.createSession({ model: MODEL, max_audio_seconds: 10 }))
  await live.ready
  const refusals: string[] = []
  const onRetry = (error: { code: string }) => {
    refusals.push(error.code)
    void live.close()
  }
  const granted = await second!.createSession({ model: MODEL }, { onRetry, random: () => 0 })
  expect(refusals).toEqual(['capacity_exceeded'])

  const last = small.open(granted)
  await last.ready
  const stopped = small.stop()
  await expect(first!.createSession({ model: MODEL }, { maxRetries: 0 })).rejects.toMatchObject({
    status: 503,
    code: 'server_draining',
  })
  await expect(last.closed).rejects.toMatchObject({ code: 'server_restarting', closeCode: 1012 })
  await stopped
})

test('an answer that got lost on the way is asked for again, and no second session is made', async () => {
  const { key } = await bench.customer({ creditMs: 100_000 })
  bench.network.answerDelayMs = 1_000
  const retried: string[] = []
  const onRetry = (error: { code: string }) => retried.push(error.code)
  const created = bench.client(key).createSession({ model: MODEL, max_audio_seconds: 10 }, { onRetry })
  // The connection is cut when the service has made the session, and its answer is still on the way.
  const sessions = async () => (await bench.directClient(key).usage()).recent_sessions
  while ((await sessions()).length === 0) await new Promise(resolve => setTimeout(resolve, 50))
  bench.network.cut()
  bench.network.answerDelayMs = 0
  const { id } = await created
  expect(retried).toEqual(['connection_failed'])
  expect((await sessions()).map(session => session.id)).toEqual([id])
})

test('nothing listens at the address: fails with the reason', async () => {
  bench.network.isRefusing = true
  const failure = await bench
    .client('svc_live_v1_x')
    .usage({ maxRetries: 1 })
    .catch(error => error)
  bench.network.isRefusing = false
  expect(failure).toMatchObject({ code: 'connection_failed' })
})

test('a file becomes text in one call, and its errors are reported like any other', async () => {
  const client = await clientOf()
  const wav = makeWav(
    Array.from({ length: 32_000 }, (_, n) => Math.sin(n / 9) / 3),
    {
      tag: 1,
      bits: 16,
      channels: 1,
      rateHz: 16_000,
    },
  )
  const file = new Blob([new Uint8Array(wav)])
  const answer = await client.transcribe({ model: MODEL, file })
  expect(answer).toEqual({ text: expect.any(String), usage: { type: 'duration', seconds: 2 } })
  expect(await client.transcribe({ model: MODEL, file, response_format: 'text' })).toBe(`${answer.text}\n`)
  const verbose = await client.transcribe({ model: MODEL, file, response_format: 'verbose_json' })
  expect(verbose).toMatchObject({ duration: 2, text: answer.text })
  const words = new Blob(['these are words, not sounds, and quite a few of them'])
  await expect(
    client.transcribe({ model: MODEL, file: words, response_format: 'srt' }),
  ).rejects.toMatchObject({
    status: 400,
    code: 'unsupported_audio',
  })
})

test('a certificate that is not trusted fails at once, and SAUTI_CA makes it trusted', async () => {
  const untrusting = new SautiClient({ baseUrl: bench.baseUrl })
  await expect(untrusting.models()).rejects.toMatchObject({
    code: 'certificate_untrusted',
    message: expect.stringContaining('SAUTI_CA'),
  })
  const { fetch } = createTransport(`${bench.service.dataDir}/tls/ca.pem`)
  expect(
    await new SautiClient({ baseUrl: bench.baseUrl, ...(fetch ? { fetch } : {}) }).models(),
  ).toHaveLength(2)
})

test('an authority does not keep a client from a service without TLS, behind a proxy', async () => {
  const server = createServer((_request, response) => response.end('{"object":"list","data":[]}'))
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { fetch } = createTransport(`${bench.service.dataDir}/tls/ca.pem`)
  const client = new SautiClient({ baseUrl: `http://127.0.0.1:${port}`, ...(fetch ? { fetch } : {}) })
  expect(await client.models()).toEqual([])
  await new Promise(resolve => server.close(resolve))
})
