// How the server half handles answers that a healthy service rarely gives. test/clients uses the real service.

import { afterEach, describe, expect, test, vi } from 'vitest'
import { type FetchInit, SautiApiError, SautiClient } from '#sdk/index.js'
import { retryDelayMs } from '#sdk/server/request.js'

interface Call extends FetchInit {
  readonly url: string
}

const REQUEST_ID = '6b0f0f3e-3c2f-4a35-9c9f-6d7d9c3c0a11'

function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  const error = { type: `type_of_${status}`, code, message: `words of ${code}`, request_id: REQUEST_ID }
  return Response.json({ error }, { status, headers })
}

/** A client whose service gives these answers, one after the other. */
function clientOf(answers: (Response | Error)[], options = {}) {
  const calls: Call[] = []
  const waits: number[] = []
  const client = new SautiClient({
    baseUrl: 'https://sauti.test/',
    apiKey: 'svc_live_v1_test',
    random: () => 0,
    onRetry: (_, delayMs) => waits.push(delayMs),
    fetch: async (url, init) => {
      calls.push({ url, ...init })
      const answer = answers.shift() ?? new Error('no more answers')
      if (answer instanceof Error) throw answer
      return answer
    },
    ...options,
  })
  return { client, calls, waits }
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a session is cancelled by its id', async () => {
  const { client, calls } = clientOf([Response.json({ id: 'a', status: 'expired' })])
  expect(await client.cancelSession('a/b')).toMatchObject({ status: 'expired' })
  expect(calls[0]).toMatchObject({ url: 'https://sauti.test/v1/asr/sessions/a%2Fb', method: 'DELETE' })
})

test('a key is not sent in the clear to another machine', () => {
  const create = (baseUrl: string, apiKey = 'svc_live_v1_test') => new SautiClient({ baseUrl, apiKey })
  expect(() => create('http://sauti.example')).toThrow('https')
  for (const url of ['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1', 'https://sauti.example'])
    expect(create(url)).toBeInstanceOf(SautiClient)
  expect(new SautiClient({ baseUrl: 'http://sauti.example' })).toBeInstanceOf(SautiClient)
})

describe('retries', () => {
  test.each([429, 503])('%i is repeated after Retry-After with the same idempotency key', async status => {
    vi.useFakeTimers()
    const answers = [
      refusal(status, 'concurrency_limit_exceeded', { 'Retry-After': '7' }),
      refusal(status, 'concurrency_limit_exceeded', { 'Retry-After': '0' }),
      Response.json({ id: 'session' }, { status: 201 }),
    ]
    const { client, calls, waits } = clientOf(answers)
    const session = client.createSession({ model: 'svc-asr-kikuyu-v1' })
    await vi.advanceTimersByTimeAsync(6_999)
    expect(calls).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await session).toEqual({ id: 'session' })
    expect(waits).toEqual([7_000, 1_000])
    const keys = calls.map(call => call.headers['Idempotency-Key'])
    expect(keys[0]).toMatch(/^[A-Za-z0-9._:-]{1,128}$/)
    expect(new Set(keys).size).toBe(1)
    expect(new Set(calls.map(call => call.body)).size).toBe(1)
  })

  test('two calls have two idempotency keys; a given one is used', async () => {
    const ok = () => Response.json({}, { status: 201 })
    const { client, calls } = clientOf([ok(), ok(), ok()])
    await client.createSession({ model: 'm' })
    await client.createSession({ model: 'm' })
    await client.createSession({ model: 'm' }, { idempotencyKey: 'mine' })
    const keys = calls.map(call => call.headers['Idempotency-Key'])
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('mine')
  })

  test('the wait obeys Retry-After, doubles where that asks for nothing, and is only ever stretched', () => {
    const error = (retryAfterSeconds?: number) =>
      new SautiApiError({ status: 429, type: '', code: '', message: '', requestId: '', retryAfterSeconds })
    expect([0, 1, 2, 20].map(retries => retryDelayMs(error(), retries, 0))).toEqual([
      500, 1_000, 2_000, 30_000,
    ])
    expect(retryDelayMs(error(5), 0, 0)).toBe(5_000)
    expect(retryDelayMs(error(5), 0, 1)).toBe(6_250)
  })

  test('it gives up after maxRetries, with the last answer', async () => {
    vi.useFakeTimers()
    const { client, calls } = clientOf(
      Array.from({ length: 9 }, () => refusal(503, 'server_draining', { 'Retry-After': '1' })),
      { maxRetries: 2 },
    )
    const failure = client.usage().catch(error => error)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await failure).toMatchObject({ status: 503, code: 'server_draining', retryAfterSeconds: 1 })
    expect(calls).toHaveLength(3)
  })

  test('a wait ends at once when the caller aborts', async () => {
    const stop = new AbortController()
    const { client } = clientOf([refusal(429, 'request_rate_exceeded', { 'Retry-After': '60' })])
    const failure = client.usage({ signal: stop.signal, onRetry: () => stop.abort(new Error('enough')) })
    await expect(failure).rejects.toThrow('enough')
  })
})

describe('errors', () => {
  test.each([
    [401, 'invalid_api_key'],
    [402, 'insufficient_credits'],
    [403, 'model_not_allowed'],
    [404, 'model_not_found'],
    [409, 'idempotency_conflict'],
  ])('%i fails at once with status, type, code, message and request id', async (status, code) => {
    const { client, calls } = clientOf([refusal(status, code)])
    const failure = await client.createSession({ model: 'm' }).catch(error => error)
    expect(failure).toBeInstanceOf(SautiApiError)
    expect(failure).toMatchObject({
      status,
      type: `type_of_${status}`,
      code,
      message: `words of ${code}`,
      requestId: REQUEST_ID,
    })
    expect(calls).toHaveLength(1)
  })

  test('an answer of something else, such as a proxy, is still an error with a status', async () => {
    const page = new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'X-Request-Id': 'abc' } })
    const { client } = clientOf([page, new Response('<p>hello', { status: 200 })])
    await expect(client.usage()).rejects.toMatchObject({
      status: 502,
      code: 'unexpected_answer',
      requestId: 'abc',
    })
    await expect(client.usage()).rejects.toMatchObject({ status: 200, code: 'unexpected_answer' })
  })

  test('no answer is retried, then reported with its reason', async () => {
    vi.useFakeTimers()
    const refused = () =>
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })
    const { client, calls } = clientOf([refused(), refused()], { maxRetries: 1 })
    const failure = client.models().catch(error => error)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await failure).toMatchObject({
      code: 'connection_failed',
      message: 'No answer from sauti.test: connect ECONNREFUSED 127.0.0.1:1.',
    })
    expect(calls).toHaveLength(2)
  })

  test('gives up on a service that never answers', async () => {
    const { client } = clientOf([], {
      maxRetries: 0,
      timeoutMs: 20,
      fetch: (_: string, { signal }: FetchInit) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    await expect(client.models()).rejects.toMatchObject({ code: 'connection_failed' })
  })
})

describe('the key', () => {
  test.each([
    ['a page', { document: {} }],
    ['a worker', { WorkerGlobalScope: class {} }],
    ['a React Native app', { navigator: { product: 'ReactNative' } }],
  ])('is refused in %s; the public list of models needs none', async (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    expect(() => clientOf([])).toThrow(expect.objectContaining({ code: 'api_key_in_browser' }))
    const models = [{ id: 'svc-asr-kikuyu-v1' }]
    const { client } = clientOf([Response.json({ object: 'list', data: models })], { apiKey: undefined })
    expect(await client.models()).toEqual(models)
  })

  test('is asked for where it is needed, before anything is sent', async () => {
    const { client, calls } = clientOf([], { apiKey: undefined })
    await expect(client.usage()).rejects.toMatchObject({ code: 'missing_api_key' })
    expect(calls).toEqual([])
  })
})
