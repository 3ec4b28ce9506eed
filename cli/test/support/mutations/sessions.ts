// Wrong sessions, balances, repeated requests and usage over HTTP.

import { randomUUID } from 'node:crypto'
import type { Loose } from '../wrong-service.ts'
import { answer, body, type Mutation, renamed, SESSIONS, status, USAGE } from './make.ts'

export const sessions: readonly Mutation[] = [
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
