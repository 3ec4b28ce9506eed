// Wrong models, keys, errors and refusals over HTTP.

import { randomUUID } from 'node:crypto'
import { answer, body, MODELS, type Mutation, renamed, status } from './make.ts'

export const refusals: readonly Mutation[] = [
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
]
