import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { bearer, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'

const plane = await openControlPlane()

/** The status of the answer, and its error code if it has one. */
async function outcome(body: unknown, headers?: Record<string, string>): Promise<string> {
  const { status, json } = await plane.post(await plane.customer(), body, headers)
  return json?.error ? `${status} ${json.error.code}` : String(status)
}

/** A body of exactly this many bytes, padded with white space. */
function bodyOf(bytes: number): string {
  const json = JSON.stringify({ model: KIKUYU })
  return json + ' '.repeat(bytes - json.length)
}

describe('the body', () => {
  it.each([
    ['of 16 KiB', bodyOf(16 * 1024), '201'],
    ['of one byte more', bodyOf(16 * 1024 + 1), '413 request_too_large'],
    ['that is empty', '', '400 invalid_body'],
    ['that is null', 'null', '400 invalid_body'],
    ['that is a string', '"x"', '400 invalid_body'],
    ['that is an array', '[]', '400 invalid_body'],
    ['that is cut off', '{"model":"svc', '400 invalid_json'],
    ['with a byte order mark', `\uFEFF${JSON.stringify({ model: KIKUYU })}`, '400 invalid_json'],
    ['with a __proto__', `{"model":"${KIKUYU}","__proto__":{"x":1}}`, '400 unknown_parameter'],
    ['with an extra property', { model: KIKUYU, extra: 1 }, '400 unknown_parameter'],
    ['without a model', { max_audio_seconds: 5 }, '400 missing_parameter'],
    ['with a model that is a number', { model: 5 }, '400 invalid_parameter'],
    ['with an empty model', { model: '' }, '400 invalid_parameter'],
    ['with a model that does not exist', { model: 'x' }, '404 model_not_found'],
    ['with a model in capitals', { model: KIKUYU.toUpperCase() }, '404 model_not_found'],
  ])('%s', async (_, body, expected) => {
    expect(await outcome(body)).toBe(expected)
  })

  it('that is not UTF-8 is not JSON', async () => {
    const customer = await plane.customer()
    const body = Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff]), Buffer.from('"}')])
    const headers = { ...bearer(customer), 'content-type': 'application/json' }
    const { json } = await plane.call('/v1/asr/sessions', { method: 'POST', headers, body })
    expect(json.error.code).toBe('invalid_json')
  })

  it('that is too large and of unknown length is refused while it arrives', async () => {
    const headers = { 'transfer-encoding': 'chunked' }
    expect(await outcome(bodyOf(16 * 1024), headers)).toBe('201')
    expect(await outcome(bodyOf(16 * 1024 + 1), headers)).toBe('413 request_too_large')
  })
})

describe('max_audio_seconds', () => {
  it.each([
    [0, '400 invalid_parameter'],
    [1, '201'],
    [300, '201'],
    [301, '400 invalid_parameter'],
    [-1, '400 invalid_parameter'],
    [1.5, '400 invalid_parameter'],
    ['60', '400 invalid_parameter'],
    [null, '400 invalid_parameter'],
    [true, '400 invalid_parameter'],
    [[60], '400 invalid_parameter'],
  ])('%j is %s', async (seconds, expected) => {
    expect(await outcome({ model: KIKUYU, max_audio_seconds: seconds })).toBe(expected)
  })

  it('may be written as any JSON number that is an integer', async () => {
    expect(await outcome(`{"model":"${KIKUYU}","max_audio_seconds":6.0e1}`)).toBe('201')
  })
})

describe('Idempotency-Key', () => {
  it.each([
    ['128 characters', 'k'.repeat(128), '201'],
    ['129 characters', 'k'.repeat(129), '400 invalid_idempotency_key'],
    ['one character', 'k', '201'],
    ['nothing', '', '400 invalid_idempotency_key'],
    ['all allowed signs', 'Az09._:-', '201'],
    ['a space', 'a b', '400 invalid_idempotency_key'],
    ['a slash', 'a/b', '400 invalid_idempotency_key'],
  ])('of %s', async (_, key, expected) => {
    expect(await outcome({ model: KIKUYU }, { 'idempotency-key': key })).toBe(expected)
  })
})

describe('Content-Type', () => {
  it.each([
    ['application/json', '201'],
    ['APPLICATION/JSON', '201'],
    ['application/json; charset=utf-8', '201'],
    ['application/json;charset="UTF-8"', '201'],
    ['application/json; charset=latin1', '415 unsupported_media_type'],
    ['application/json; charset=utf-16', '415 unsupported_media_type'],
    ['application/jsonp', '415 unsupported_media_type'],
    ['application/problem+json', '415 unsupported_media_type'],
    ['text/plain', '415 unsupported_media_type'],
    ['multipart/form-data; boundary=x', '415 unsupported_media_type'],
    ['', '415 unsupported_media_type'],
  ])('%j', async (type, expected) => {
    expect(await outcome({ model: KIKUYU }, { 'content-type': type })).toBe(expected)
  })

  it('must be there, and the body must not be compressed', async () => {
    const { json } = await plane.call('/v1/asr/sessions', {
      method: 'POST',
      headers: bearer(await plane.customer()),
    })
    expect(json.error.code).toBe('unsupported_media_type')
    const compressed = { 'content-encoding': 'gzip' }
    expect(await plane.post(await plane.customer(), { model: KIKUYU }, compressed)).toMatchObject({
      status: 415,
      json: {
        error: { code: 'unsupported_media_type', message: 'The request body must not be compressed.' },
      },
    })
  })
})

describe('a header that comes twice', () => {
  async function sendTwice(name: string, values: (customer: Customer) => [string, string]) {
    const customer = await plane.customer()
    const headers: Record<string, string | string[]> = {
      ...bearer(customer),
      'content-type': 'application/json',
    }
    headers[name] = values(customer)
    const body = JSON.stringify({ model: KIKUYU })
    const { status, json } = await plane.call('/v1/asr/sessions', { method: 'POST', headers, body })
    return `${status} ${json.error?.code}`
  }

  it('is refused where it would be ambiguous', async () => {
    const twice = ({ key }: Customer): [string, string] => [`Bearer ${key}`, `Bearer ${key}`]
    expect(await sendTwice('authorization', twice)).toBe('401 invalid_api_key')
    expect(await sendTwice('content-type', () => ['application/json', 'text/plain'])).toBe(
      '415 unsupported_media_type',
    )
    expect(await sendTwice('idempotency-key', () => ['a', 'b'])).toBe('400 invalid_idempotency_key')
  })
})

describe('Authorization', () => {
  it.each([
    ['bearer in small letters', (key: string) => `bearer ${key}`, 200],
    ['two spaces', (key: string) => `Bearer  ${key}`, 200],
    ['another scheme', (key: string) => `Basic ${key}`, 401],
    ['no scheme', (key: string) => key, 401],
    ['nothing after the scheme', () => 'Bearer ', 401],
    ['a mistyped key', (key: string) => `Bearer ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`, 401],
    ['two keys', (key: string) => `Bearer ${key} ${key}`, 401],
  ])('with %s', async (_, header, expected) => {
    const { key } = await plane.customer()
    const { status } = await plane.call('/v1/usage', { headers: { authorization: header(key) } })
    expect(status).toBe(expected)
  })
})

describe('other methods', () => {
  it('HEAD is GET without the body', async () => {
    const get = await plane.call('/v1/models')
    const head = await plane.call('/v1/models', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(await plane.call('/v1/usage', { method: 'HEAD' })).toMatchObject({ status: 401, text: '' })
    expect(await plane.call('/v1/asr/sessions', { method: 'HEAD' })).toMatchObject({ status: 405, text: '' })
  })

  it.each([
    ['/v1/models', 'GET, HEAD'],
    ['/v1/usage', 'GET, HEAD'],
    ['/v1/asr/sessions', 'POST'],
  ])('OPTIONS and others of %s are refused with Allow, and no origin is let in', async (path, allow) => {
    for (const method of ['OPTIONS', 'PUT', 'PATCH', 'DELETE']) {
      const headers = { origin: 'https://evil.test', 'access-control-request-method': 'POST' }
      const answer = await plane.call(path, { method, headers })
      expect(answer).toMatchObject({ status: 405, json: { error: { code: 'method_not_allowed' } } })
      expect(answer.headers.allow).toBe(allow)
      expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control'))).toEqual([])
    }
  })

  it.each(['/', '/v1/models/', '/V1/models', '/v1/models/x', '/%zz', '/..%2f..%2fetc', '/v1//models'])(
    '%s is not an address',
    async path => {
      expect(await plane.call(path)).toMatchObject({
        status: 404,
        json: { error: { code: 'route_not_found' } },
      })
    },
  )
})

function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: plane.port })
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
    socket.write(text)
  })
}

describe('what Node would answer by itself', () => {
  it('an unknown expectation is ignored', async () => {
    expect(await plane.call('/v1/models', { headers: { expect: 'tea' } })).toMatchObject({ status: 200 })
  })

  it.each([
    [
      'a request without Host',
      'GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n',
      400,
      'invalid_parameter',
    ],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 405, 'method_not_allowed'],
  ])('%s is refused in our form', async (_, text, status, code) => {
    const [head, body] = (await sendRaw(text)).split('\r\n\r\n')
    const { error } = JSON.parse(body!)
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head!.toLowerCase()).toContain(`x-request-id: ${error.request_id}`)
    expect(error).toMatchObject({ type: 'invalid_request_error', code })
  })

  it('HTTP/1.0 needs no Host', async () => {
    expect(await sendRaw('GET /v1/models HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('what is not HTTP', () => {
  it('gets its answer also on a connection that was used before', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const call = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const request = get({ host: '127.0.0.1', port: plane.port, path: '/v1/models', agent, headers })
        const tell = (answer: IncomingMessage) =>
          resolve({ status: answer.statusCode, isReused: request.reusedSocket })
        request.once('response', answer => answer.resume().once('end', () => tell(answer)))
        request.once('error', reject)
      })
    expect(await call({})).toEqual({ status: 200, isReused: false })
    expect(await call({ cookie: 'a'.repeat(20_000) })).toEqual({ status: 400, isReused: true })
    agent.destroy()
  })

  it.each([
    ['nonsense', 'hello\r\n\r\n'],
    ['headers without end', `GET /v1/models HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
    [
      'two lengths',
      'POST /v1/asr/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a length and chunks',
      'POST /v1/asr/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('%s gets an error body and no more', async (_, text) => {
    const answer = await sendRaw(text)
    const [head, body] = answer.split('\r\n\r\n')
    const { error } = JSON.parse(body!)
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(head).toContain(`X-Request-Id: ${error.request_id}`)
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_parameter' })
  })
})
