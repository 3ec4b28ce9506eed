// Wrong behaviours, each with the rule that must notice it. One is switched on at a time.

import { randomUUID } from 'node:crypto'
import type { Exchange, Fault, Loose } from './wrong-service.ts'

export interface Mutation {
  readonly name: string
  /** The rule that must break; others may. */
  readonly rule: string
  readonly fault: Fault
}

const MODELS = 'GET /v1/models'
const SESSIONS = 'POST /v1/asr/sessions'
const USAGE = 'GET /v1/usage'

/** Changes the JSON of answers to one route. */
function body(route: string, change: (json: Loose, exchange: Exchange) => void, status?: number): Fault {
  return {
    answer(exchange) {
      if (`${exchange.method} ${exchange.path}` !== route) return
      if (status !== undefined && exchange.status !== status) return
      const json = JSON.parse(exchange.body)
      change(json, exchange)
      exchange.body = JSON.stringify(json)
    },
  }
}

function answer(when: (exchange: Exchange) => boolean, change: (exchange: Exchange) => void): Fault {
  return {
    answer(exchange) {
      if (when(exchange)) change(exchange)
    },
  }
}

function ofCode(code: string, change: (exchange: Exchange) => void): Fault {
  return answer(({ body: text }) => text.includes(`"${code}"`), change)
}

function renamed(code: string, other: string): Fault {
  return ofCode(code, exchange => {
    exchange.body = exchange.body.replace(`"code":"${code}"`, `"code":"${other}"`)
  })
}

function status(code: string, other: number): Fault {
  return ofCode(code, exchange => {
    exchange.status = other
  })
}

/** Changes events of one type. */
function events(
  type: string,
  change: (event: Loose) => readonly (Loose | Buffer | string)[] | undefined,
): Fault {
  return { event: event => (event.type === type ? (change(event) ?? [event]) : [event]) }
}

function set(type: string, changes: Loose): Fault {
  return events(type, event => [{ ...event, ...changes }])
}

/** Answers a message of the client in the service's place. */
function inPlace(message: string, replies: readonly Loose[]): Fault {
  const isIt = (data: Buffer, isBinary: boolean) => !isBinary && String(data).includes(message)
  return {
    reply: (data, isBinary) => (isIt(data, isBinary) ? replies : []),
    frame: (data, isBinary) => (isIt(data, isBinary) ? [] : [isBinary ? data : String(data)]),
  }
}

function closes(code: number, other: { code?: number; reason?: string }): Fault {
  return { close: closing => (closing.code === code ? { ...closing, ...other } : closing) }
}

/** Changes what the list of usage says of sessions that are over. */
function billed(change: (session: Loose) => void): Fault {
  return body(USAGE, ({ recent_sessions: sessions }) => {
    for (const session of sessions) if (session.completed_at !== null) change(session)
  })
}

const http: readonly Mutation[] = [
  {
    name: 'the model list asks for a key',
    rule: 'models.public',
    fault: answer(
      ({ path, requestHeaders }) => path === '/v1/models' && !requestHeaders.authorization,
      exchange => {
        exchange.status = 401
      },
    ),
  },
  {
    name: 'the model list is sent as text',
    rule: 'models.json',
    fault: answer(
      ({ path }) => path === '/v1/models',
      ({ headers }) => {
        headers['content-type'] = 'text/plain'
      },
    ),
  },
  {
    name: 'the model list is a bare array',
    rule: 'models.list',
    fault: answer(
      ({ path }) => path === '/v1/models',
      exchange => {
        exchange.body = JSON.stringify(JSON.parse(exchange.body).data)
      },
    ),
  },
  { name: 'a model is missing', rule: 'models.ids', fault: body(MODELS, json => json.data.pop()) },
  {
    name: 'a model claims 8 kHz',
    rule: 'models.audio',
    fault: body(MODELS, json => {
      json.data[0].audio.sample_rate_hz = 8000
    }),
  },
  {
    name: 'a model claims 600 seconds',
    rule: 'models.max-audio-seconds',
    fault: body(MODELS, json => {
      json.data[0].max_audio_seconds = 600
    }),
  },
  {
    name: 'a model has another capability',
    rule: 'models.capability',
    fault: body(MODELS, json => {
      json.data[1].capability = 'asr'
    }),
  },
  {
    name: 'a language code is wrong',
    rule: 'models.languages',
    fault: body(MODELS, json => {
      json.data[0].language_code = 'kik'
    }),
  },
  {
    name: 'the rate is not told',
    rule: 'models.rate-headers',
    fault: answer(
      () => true,
      ({ headers }) => {
        delete headers.ratelimit
      },
    ),
  },
  { name: 'a missing key is 403', rule: 'auth.sessions.missing-key', fault: status('missing_api_key', 403) },
  {
    name: 'usage is public',
    rule: 'auth.usage.missing-key',
    fault: answer(
      ({ path, status: found }) => path === '/v1/usage' && found === 401,
      exchange => {
        exchange.status = 200
        exchange.body = '{}'
      },
    ),
  },
  {
    name: 'an unknown key is a missing one',
    rule: 'auth.usage.invalid-key',
    fault: renamed('invalid_api_key', 'missing_api_key'),
  },
  {
    name: '401 without WWW-Authenticate',
    rule: 'errors.www-authenticate',
    fault: answer(
      ({ status: found }) => found === 401,
      ({ headers }) => {
        delete headers['www-authenticate']
      },
    ),
  },
  {
    name: 'errors without X-Request-Id',
    rule: 'errors.header',
    fault: answer(
      ({ status: found }) => found >= 400,
      ({ headers }) => {
        delete headers['x-request-id']
      },
    ),
  },
  {
    name: 'body and header name different requests',
    rule: 'errors.one-request-id',
    fault: answer(
      ({ status: found }) => found >= 400,
      ({ headers }) => {
        headers['x-request-id'] = randomUUID()
      },
    ),
  },
  {
    name: 'one request id for all',
    rule: 'errors.own-request-id',
    fault: answer(
      ({ status: found }) => found >= 400,
      ({ headers }) => {
        headers['x-request-id'] = '0b8f6f6e-2a4e-4f0e-9b39-1f4f6a7d8c9e'
      },
    ),
  },
  {
    name: 'the request id is a number',
    rule: 'errors.request-id',
    fault: answer(
      ({ status: found }) => found >= 400,
      exchange => {
        exchange.body = exchange.body.replace(/"request_id":"[^"]+"/, '"request_id":7')
      },
    ),
  },
  {
    name: 'an error without a message',
    rule: 'errors.body',
    fault: answer(
      ({ status: found }) => found >= 400,
      exchange => {
        exchange.body = exchange.body.replace(/"message":"[^"]*",?/, '')
      },
    ),
  },
  {
    name: 'an error in HTML',
    rule: 'errors.json',
    fault: answer(
      ({ status: found }) => found === 404,
      ({ headers }) => {
        headers['content-type'] = 'text/html'
      },
    ),
  },
  {
    name: 'an error repeats the key',
    rule: 'errors.safe-message',
    fault: answer(
      ({ status: found }) => found === 401,
      exchange => {
        exchange.body = exchange.body.replace(
          '"message":"',
          `"message":"${exchange.requestHeaders.authorization} `,
        )
      },
    ),
  },
  {
    name: '405 without Allow',
    rule: 'errors.allow',
    fault: answer(
      ({ status: found }) => found === 405,
      ({ headers }) => {
        delete headers.allow
      },
    ),
  },
  { name: 'broken JSON is 422', rule: 'sessions.malformed-json', fault: status('invalid_json', 422) },
  {
    name: 'an unknown parameter is ignored',
    rule: 'sessions.unknown-parameter',
    fault: {
      request: ({ body: text }) =>
        text.includes('"language"') ? { body: text.replace(',"language":"ki"', '') } : undefined,
    },
  },
  {
    name: '301 seconds are cut to 300',
    rule: 'sessions.max-audio-seconds.301',
    fault: {
      request: ({ body: text }) => (text.includes('301') ? { body: text.replace('301', '300') } : undefined),
    },
  },
  {
    name: 'seconds are taken as text',
    rule: 'sessions.max-audio-seconds.60-as-text',
    fault: {
      request: ({ body: text }) => (text.includes('"60"') ? { body: text.replace('"60"', '60') } : undefined),
    },
  },
  {
    name: 'an unknown model is 400',
    rule: 'sessions.model-not-found',
    fault: status('model_not_found', 400),
  },
  {
    name: 'any media type is taken',
    rule: 'sessions.media-type',
    fault: {
      request: ({ headers }) =>
        headers['content-type'] === 'text/plain' && headers.authorization
          ? { headers: { 'content-type': 'application/json' } }
          : undefined,
    },
  },
  { name: 'a large body is 400', rule: 'sessions.too-large', fault: status('request_too_large', 400) },
  {
    name: '16 KiB are too large',
    rule: 'sessions.largest',
    fault: answer(
      ({ requestBody }) => requestBody.length === 16_384,
      exchange => {
        exchange.status = 413
        exchange.body = '{"error":{"type":"request_too_large","code":"request_too_large"}}'
      },
    ),
  },
  {
    name: 'any Idempotency-Key is taken',
    rule: 'idempotency.characters',
    fault: {
      request: ({ headers }) =>
        headers['idempotency-key'] === 'a key' ? { headers: { 'idempotency-key': undefined } } : undefined,
    },
  },
  { name: 'an unknown path is 200', rule: 'routes.unknown', fault: status('route_not_found', 200) },
  {
    name: 'the media type is checked before the key',
    rule: 'order.key-before-media-type',
    fault: answer(
      ({ requestHeaders }) =>
        requestHeaders['content-type'] === 'text/plain' && !requestHeaders.authorization,
      exchange => {
        exchange.status = 415
      },
    ),
  },
  {
    name: 'a creation is 200',
    rule: 'session.created',
    fault: answer(
      ({ status: found }) => found === 201,
      exchange => {
        exchange.status = 200
      },
    ),
  },
  {
    name: 'a creation without X-Request-Id',
    rule: 'session.created',
    fault: answer(
      ({ status: found }) => found === 201,
      ({ headers }) => {
        delete headers['x-request-id']
      },
    ),
  },
  {
    name: 'the stream is ws://',
    rule: 'session.websocket-url',
    fault: body(
      SESSIONS,
      (json, { requestHeaders }) => {
        if (requestHeaders['idempotency-key']) json.websocket_url = json.websocket_url.replace('wss:', 'ws:')
      },
      201,
    ),
  },
  {
    name: 'the credential stands first',
    rule: 'session.protocols',
    fault: body(
      SESSIONS,
      (json, { requestHeaders }) => {
        if (requestHeaders['idempotency-key']) json.websocket_protocols.reverse()
      },
      201,
    ),
  },
  {
    name: 'the credential lives for ten minutes',
    rule: 'session.expires-at',
    fault: body(
      SESSIONS,
      json => {
        json.expires_at = new Date(Date.parse(json.expires_at) + 540_000).toISOString()
      },
      201,
    ),
  },
  {
    name: 'another context size',
    rule: 'session.audio.context_size',
    fault: body(
      SESSIONS,
      json => {
        json.audio.context_size = [70, 13]
      },
      201,
    ),
  },
  {
    name: 'the session says that it is active',
    rule: 'session.status',
    fault: body(
      SESSIONS,
      json => {
        json.status = 'active'
      },
      201,
    ),
  },
  {
    name: 'more is reserved than was asked for',
    rule: 'session.reserved',
    fault: body(
      SESSIONS,
      json => {
        json.credits.reserved += 1
        json.audio.max_audio_seconds += 1
      },
      201,
    ),
  },
  {
    name: 'two different limits',
    rule: 'session.limit',
    fault: body(
      SESSIONS,
      json => {
        json.audio.max_audio_seconds += 1
      },
      201,
    ),
  },
  {
    name: 'the remaining credit is that before the reservation',
    rule: 'session.remaining',
    fault: body(
      SESSIONS,
      json => {
        json.credits.remaining += json.credits.reserved
      },
      201,
    ),
  },
  {
    name: 'a reservation is not shown',
    rule: 'balance.reserves',
    fault: body(USAGE, json => {
      json.available_ms += json.reserved_ms
      json.reserved_ms = 0
    }),
  },
  {
    name: 'credit is lost while it is reserved',
    rule: 'balance.sum',
    fault: body(USAGE, json => {
      json.reserved_ms = 0
    }),
  },
  {
    name: 'a fresh session is listed as active',
    rule: 'session.listed',
    fault: body(USAGE, json => {
      for (const session of json.recent_sessions) if (session.status === 'reserved') session.status = 'active'
    }),
  },
  {
    name: 'the default is 30 seconds',
    rule: 'session.default',
    fault: body(
      SESSIONS,
      (json, { requestBody }) => {
        if (!requestBody.includes('max_audio_seconds')) json.credits.reserved = 30
      },
      201,
    ),
  },
  {
    name: 'a replay is a new session',
    rule: 'idempotency.same-session',
    fault: body(
      SESSIONS,
      (json, { headers }) => {
        if (headers['idempotent-replayed']) json.id = randomUUID()
      },
      201,
    ),
  },
  {
    name: 'a replay has another credential',
    rule: 'idempotency.same-bytes',
    fault: body(
      SESSIONS,
      (json, { headers }) => {
        if (headers['idempotent-replayed']) json.websocket_protocols[1] += 'x'
      },
      201,
    ),
  },
  {
    name: 'a replay is not marked',
    rule: 'idempotency.marked',
    fault: answer(
      () => true,
      ({ headers }) => {
        delete headers['idempotent-replayed']
      },
    ),
  },
  {
    name: 'another body with the same key is taken',
    rule: 'idempotency.conflict',
    fault: status('idempotency_conflict', 201),
  },
  {
    name: 'every request makes a session',
    rule: 'idempotency.at-once',
    fault: body(
      SESSIONS,
      (json, { requestBody }) => {
        if (!requestBody.includes('max_audio_seconds')) json.id = randomUUID()
      },
      201,
    ),
  },
  {
    name: 'too many sessions are 503',
    rule: 'concurrency.refused',
    fault: status('concurrency_limit_exceeded', 503),
  },
  {
    name: '429 with another code',
    rule: 'concurrency.refused',
    fault: renamed('concurrency_limit_exceeded', 'too_many_sessions'),
  },
  {
    name: '429 without Retry-After',
    rule: 'concurrency.retry-after',
    fault: answer(
      ({ status: found }) => found === 429,
      ({ headers }) => {
        delete headers['retry-after']
      },
    ),
  },
  {
    name: 'Retry-After is a date',
    rule: 'concurrency.retry-after',
    fault: answer(
      ({ status: found }) => found === 429,
      ({ headers }) => {
        headers['retry-after'] = new Date().toUTCString()
      },
    ),
  },
  {
    name: 'cancelling costs the reservation',
    rule: 'cancel.returns-credit',
    fault: body(USAGE, json => {
      const cancelled = json.recent_sessions.filter((session: Loose) => session.status === 'expired').length
      json.available_ms -= 2000 * cancelled
      json.consumed_ms += 2000 * cancelled
    }),
  },
  {
    name: 'an unknown session can be cancelled',
    rule: 'cancel.unknown',
    fault: status('session_not_found', 200),
  },
  {
    name: 'usage counts seconds',
    rule: 'usage.object',
    fault: body(USAGE, json => {
      json.unit = 'audio_second'
    }),
  },
  {
    name: 'usage has fractions',
    rule: 'usage.amounts',
    fault: body(USAGE, json => {
      json.available_ms += 0.5
    }),
  },
  {
    name: 'usage without X-Request-Id',
    rule: 'usage.ok',
    fault: answer(
      ({ path }) => path === '/v1/usage',
      ({ headers }) => {
        delete headers['x-request-id']
      },
    ),
  },
]

const credentials: readonly Mutation[] = [
  {
    name: 'a malformed pair is closed instead of refused',
    rule: 'credential.malformed',
    fault: {
      handshake: offered =>
        offered.length === 2 && offered[1]?.startsWith('svc.auth.') && offered[1].length > 20
          ? undefined
          : 'take',
    },
  },
  {
    name: 'a malformed pair is 403',
    rule: 'credential.malformed',
    fault: { handshake: offered => (offered.length === 3 ? 'refuse' : undefined) },
  },
  {
    name: 'a forged credential opens a stream',
    rule: 'credential.forged',
    fault: { handshake: offered => (/[AB]{8}$/.test(offered[1] ?? '') ? 'take' : undefined) },
  },
  {
    name: 'a bad credential is refused over HTTP',
    rule: 'credential.forged',
    fault: { handshake: offered => (/[AB]{8}$/.test(offered[1] ?? '') ? 'refuse' : undefined) },
  },
  {
    name: 'a credential opens two streams',
    rule: 'credential.once',
    fault: { handshake: (_, uses) => (uses === 2 ? 'take' : undefined) },
  },
  {
    name: 'a credential opens a stream again after the close',
    rule: 'credential.never-again',
    fault: { handshake: (offered, uses) => (uses === 3 && offered.length === 2 ? 'take' : undefined) },
  },
  {
    name: 'a good credential is refused',
    rule: 'credential.opens',
    fault: {
      handshake: (offered, uses) =>
        uses === 1 && (offered[1]?.length ?? 0) > 60 && !/[AB]{8}$/.test(offered[1]!) ? 'refuse' : undefined,
    },
  },
  {
    name: 'the secret is echoed',
    rule: 'credential.not-echoed',
    fault: { subprotocol: offered => offered.at(-1)! },
  },
  { name: 'compression is taken', rule: 'credential.no-compression', fault: { compresses: true } },
  {
    name: 'a used credential closes with 1008',
    rule: 'credential.once',
    fault: closes(4401, { code: 1008 }),
  },
  {
    name: 'a used credential is called invalid',
    rule: 'credential.once',
    fault: {
      event: event => [
        event.code === 'credential_already_used' ? { ...event, code: 'invalid_credential' } : event,
      ],
    },
  },
]

/** A delta that has forgotten its beginning. */
const shrinking: Fault = {
  event(event, { events: before }) {
    if (event.type !== 'delta' || !before.some(({ type }) => type === 'delta')) return [event]
    return [{ ...event, text: event.append }]
  },
}

const stream: readonly Mutation[] = [
  {
    name: 'a delta comes before ready',
    rule: 'ready.sequence',
    fault: events('ready', event => [
      { type: 'delta', text: 'x', append: 'x', utterance: 1, audio_ms: 0 },
      event,
    ]),
  },
  { name: 'ready never comes', rule: 'ready.sequence', fault: events('ready', () => []) },
  {
    name: 'a status without a message',
    rule: 'status.message',
    fault: set('status', { message: undefined }),
  },
  {
    name: 'another chunk length',
    rule: 'ready.chunk-samples',
    fault: set('ready', { chunk_samples: 16_000 }),
  },
  {
    name: 'ready names another session',
    rule: 'ready.session',
    fault: events('ready', event => [{ ...event, session_id: randomUUID() }]),
  },
  {
    name: 'ready names a larger frame',
    rule: 'ready.limits',
    fault: set('ready', { max_frame_bytes: 131_072 }),
  },
  {
    name: 'an event is sent as a binary frame',
    rule: 'events.text',
    fault: events('final', event => [Buffer.from(JSON.stringify(event))]),
  },
  { name: 'config is not acknowledged', rule: 'config.bare', fault: events('config_ack', () => []) },
  {
    name: 'config is acknowledged twice',
    rule: 'config.language-name',
    fault: events('config_ack', event => [event, event]),
  },
  {
    name: 'a bare config keeps the settings',
    rule: 'config.defaults',
    fault: set('config_ack', { context: [56, 0], chunk_samples: 1280 }),
  },
  { name: 'phrases are ignored', rule: 'config.phrases', fault: set('config_ack', { phrases: 0 }) },
  {
    name: 'the chunk length does not follow the look-ahead',
    rule: 'config.look-ahead-6',
    fault: set('config_ack', { chunk_samples: 17_920 }),
  },
  {
    name: 'any language is taken',
    rule: 'mistakes.other-language',
    fault: inPlace('"luo"', [{ type: 'config_ack', language: 'luo' }]),
  },
  {
    name: 'broken JSON is ignored',
    rule: 'mistakes.no-json',
    fault: {
      frame: (data, isBinary) =>
        !isBinary && String(data) === '{"type":' ? [] : [isBinary ? data : String(data)],
    },
  },
  {
    name: 'broken JSON is an unknown type',
    rule: 'mistakes.no-json',
    fault: {
      event: event => [event.code === 'invalid_json' ? { ...event, code: 'unknown_message_type' } : event],
    },
  },
  {
    name: 'an unknown type is fatal',
    rule: 'mistakes.unknown-type',
    fault: { event: event => [event.code === 'unknown_message_type' ? { ...event, fatal: true } : event] },
  },
  {
    name: 'errors name no session',
    rule: 'mistakes.wrong-context',
    fault: set('error', { session_id: null }),
  },
  { name: 'an error without a message', rule: 'mistakes.message', fault: set('error', { message: '' }) },
  {
    name: 'settings change while an utterance is under way',
    rule: 'config.not-under-way',
    fault: {
      event: event => [
        event.code === 'config_not_allowed' ? { type: 'config_ack', context: [56, 6] } : event,
      ],
    },
  },
  { name: 'pings are ignored', rule: 'ping.answered', fault: { ignoresPings: true } },
  { name: 'no delta comes', rule: 'delta.text', fault: events('delta', () => []) },
  { name: 'a delta shrinks', rule: 'delta.grows', fault: shrinking },
  {
    name: 'append is the whole text',
    rule: 'delta.grows',
    fault: events('delta', event => [{ ...event, append: event.text }]),
  },
  {
    name: 'deltas run ahead of the audio',
    rule: 'delta.audio-ms',
    fault: events('delta', event => [{ ...event, audio_ms: event.audio_ms + 60_000 }]),
  },
  {
    name: 'deltas count utterances from 0',
    rule: 'delta.utterance',
    fault: events('delta', event => [{ ...event, utterance: event.utterance - 1 }]),
  },
  {
    name: 'a delta comes after the final',
    rule: 'delta.before-final',
    fault: {
      event: (event, { events: before }) =>
        event.type === 'final' && event.text !== ''
          ? [event, before.findLast(({ type }) => type === 'delta')!]
          : [event],
    },
  },
  {
    name: 'the final is missing',
    rule: 'final.once',
    fault: events('final', event => (event.text === '' ? [event] : [])),
  },
  { name: 'the final comes twice', rule: 'final.once', fault: events('final', event => [event, event]) },
  {
    name: 'silence is not finalized',
    rule: 'final.silent',
    fault: events('final', event => (event.text === '' ? [] : [event])),
  },
  { name: 'the final is empty', rule: 'final.text', fault: set('final', { text: '' }) },
  {
    name: 'the final loses what the deltas said',
    rule: 'final.text',
    fault: events('final', event => [{ ...event, text: event.text.slice(1) }]),
  },
  { name: 'utterances are not counted', rule: 'final.utterances', fault: set('final', { utterance: 1 }) },
  {
    name: 'an odd byte is lost',
    rule: 'final.audio-ms',
    fault: {
      frame: (data, isBinary) => [
        isBinary ? data.subarray(0, data.length - (data.length % 2)) : String(data),
      ],
    },
  },
  {
    name: 'a final bills to the millisecond',
    rule: 'final.billable-ms',
    fault: events('final', event => [{ ...event, billable_ms: event.audio_ms }]),
  },
  { name: 'what remains is not told', rule: 'final.remaining-ms', fault: set('final', { remaining_ms: 0 }) },
  {
    name: 'a word is missing',
    rule: 'words.text',
    fault: events('final', event => [{ ...event, words: event.words.slice(1) }]),
  },
  {
    name: 'words begin before they can',
    rule: 'words.times',
    fault: events('final', event => [
      { ...event, words: event.words.map((word: Loose) => ({ ...word, start_ms: word.end_ms + 1 })) },
    ]),
  },
  {
    name: 'confidence is in percent',
    rule: 'words.confidence',
    fault: events('final', event => [
      {
        ...event,
        words: event.words.map((word: Loose) => ({ ...word, confidence: 1 + word.confidence * 100 })),
      },
    ]),
  },
  { name: 'reset is not acknowledged', rule: 'reset.acknowledged', fault: events('reset_ack', () => []) },
  {
    name: 'reset brings a final',
    rule: 'reset.no-final',
    fault: events('reset_ack', event => [{ type: 'final', text: '', utterance: 3, words: [] }, event]),
  },
  {
    name: 'dropped audio is not billed',
    rule: 'reset.stays-billed',
    fault: {
      event: (event, { events: before }) => [
        event.type === 'final' && before.some(({ type }) => type === 'reset_ack')
          ? { ...event, audio_ms: event.audio_ms - 500, billable_ms: event.billable_ms - 1000 }
          : event,
      ],
    },
  },
  {
    name: 'what was dropped comes back',
    rule: 'reset.drops-text',
    fault: {
      event: (event, { events: before }) => [
        event.type === 'final' && before.some(({ type }) => type === 'reset_ack')
          ? { ...event, text: 'again' }
          : event,
      ],
    },
  },
]

/** Ten frames of 320 bytes, each with its header. */
const EARLY_BYTES = 10 * 328

const endings: readonly Mutation[] = [
  {
    name: 'audio beyond the limit closes with 1000',
    rule: 'close.audio-limit',
    fault: closes(4402, { code: 1000 }),
  },
  {
    name: 'the limit is reached without an error',
    rule: 'close.audio-limit',
    fault: { event: event => (event.code === 'audio_limit_reached' ? [] : [event]) },
  },
  { name: 'the limit comes without a final', rule: 'limit.cut', fault: events('final', () => []) },
  { name: 'the close has no reason', rule: 'close.audio-limit', fault: closes(4402, { reason: '' }) },
  { name: 'a large frame closes with 1002', rule: 'close.large-frame', fault: closes(1009, { code: 1002 }) },
  {
    name: 'a large frame is taken',
    rule: 'close.large-frame',
    fault: {
      frame: (data, isBinary) =>
        isBinary && data.length > 65_536
          ? [data.subarray(0, 65_536), data.subarray(65_536)]
          : [isBinary ? data : String(data)],
    },
  },
  {
    name: 'a large text is taken',
    rule: 'close.large-text',
    fault: { frame: (data, isBinary) => [isBinary ? data : String(data).trim()] },
  },
  {
    name: '16 KiB of text are too much',
    rule: 'text.largest',
    fault: {
      frame: (data, isBinary) => [
        isBinary ? data : data.length === 16_384 ? String(data).padEnd(16_385) : String(data),
      ],
    },
  },
  {
    name: 'five invalid messages are forgiven',
    rule: 'close.invalid-messages',
    fault: {
      frame: (data, isBinary) => (!isBinary && String(data) === '?' ? [] : [isBinary ? data : String(data)]),
    },
  },
  {
    name: 'the first invalid message is fatal',
    rule: 'mistakes.four',
    fault: { event: event => [event.code === 'invalid_json' ? { ...event, fatal: true } : event] },
  },
  {
    name: 'sessions are billed one second more',
    rule: 'billing.rounded-up',
    fault: billed(session => {
      if (session.audio_ms > 0) session.billable_ms += 1000
    }),
  },
  {
    name: 'sessions are billed to the millisecond',
    rule: 'usage.whole-seconds',
    fault: billed(session => {
      session.billable_ms = session.audio_ms + 1
    }),
  },
  {
    name: 'sessions are rounded down',
    rule: 'billing.rounded-up',
    fault: billed(session => {
      session.billable_ms = Math.floor(session.audio_ms / 1000) * 1000
    }),
  },
  {
    name: 'a stream without audio costs a second',
    rule: 'billing.no-audio',
    fault: billed(session => {
      session.billable_ms = Math.max(session.billable_ms, 1000)
    }),
  },
  {
    name: 'a broken protocol is completed',
    rule: 'billing.invalid-messages',
    fault: billed(session => {
      session.status = 'completed'
    }),
  },
  {
    name: 'who vanishes does not pay',
    rule: 'billing.vanished',
    fault: billed(session => {
      if (session.audio_ms === 500) session.billable_ms = 0
    }),
  },
  {
    name: 'who breaks the protocol does not pay',
    rule: 'billing.large-frame',
    fault: billed(session => {
      if (session.status === 'failed') session.billable_ms = 0
    }),
  },
  {
    name: 'sessions are not settled',
    rule: 'billing.completed',
    fault: body(USAGE, json => {
      for (const session of json.recent_sessions) session.completed_at = null
    }),
  },
  {
    name: 'a session that is over has no end',
    rule: 'usage.completed-at',
    fault: body(USAGE, json => {
      for (const session of json.recent_sessions) session.completed_at = null
    }),
  },
  {
    name: 'oldest sessions first',
    rule: 'usage.newest-first',
    fault: body(USAGE, json => json.recent_sessions.reverse()),
  },
  {
    name: 'thirty sessions are listed',
    rule: 'usage.most-sessions',
    fault: body(USAGE, json => {
      json.recent_sessions = Array.from({ length: 30 }, () => json.recent_sessions[0])
    }),
  },
  {
    name: 'a session has an unknown status',
    rule: 'usage.sessions',
    fault: billed(session => {
      session.status = 'done'
    }),
  },
  {
    name: 'early audio is taken in silence',
    rule: 'early-audio.told',
    fault: { earlyBytes: EARLY_BYTES, event: event => (event.code === 'audio_before_ready' ? [] : [event]) },
  },
  {
    name: 'early audio closes with 1003',
    rule: 'close.early-audio',
    fault: { earlyBytes: EARLY_BYTES, ...closes(4400, { code: 1003 }) },
  },
  {
    name: 'early audio is billed',
    rule: 'billing.early-audio',
    fault: {
      earlyBytes: EARLY_BYTES,
      ...billed(session => {
        if (session.status === 'failed' && session.audio_ms === 0) session.billable_ms = 1000
      }),
    },
  },
]

export const MUTATIONS: readonly Mutation[] = [...http, ...credentials, ...stream, ...endings]
