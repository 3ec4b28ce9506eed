// The operations of the OpenAPI document: what each takes, answers and refuses.

import * as schemas from '@sauti/protocol/http'
import { STREAM_PROTOCOL } from '@sauti/protocol/stream'
import { answer, CAPACITY_CODES, FAULT_CODES, KEY_CODES, refusals } from './responses.ts'
import { referTo } from './schemas.ts'

export const listModels = {
  operationId: 'listModels',
  summary: 'List the models',
  description: 'No key is needed. The list is the same for everyone.',
  responses: {
    200: answer('The models.', schemas.ModelList, ['RateLimit', 'RateLimit-Policy']),
    ...refusals(['request_rate_exceeded', 'internal_error']),
  },
}

export const createSession = {
  operationId: 'createSession',
  summary: 'Create a streaming session',
  description:
    'Reserves audio credit and returns a WebSocket address and a one-use credential that is valid for 60 seconds. ' +
    'If less credit is left than requested, the reservation is shorter; the response says how long it is. ' +
    'Pass only this response to your client, and do not log it. Unused credit is returned when the session ends.',
  security: [{ apiKey: [] }],
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Repeating a request with the same key and body returns the same session until it expires. Use the same key for retries.',
      schema: { type: 'string', minLength: 1, maxLength: 128, pattern: schemas.IDEMPOTENCY_KEY_PATTERN },
    },
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: referTo(schemas.CreateSessionRequest) } },
  },
  responses: {
    201: answer('The reserved session.', schemas.AsrSession, [
      'RateLimit',
      'RateLimit-Policy',
      'Idempotent-Replayed',
    ]),
    ...refusals([
      'invalid_json',
      'invalid_body',
      'missing_parameter',
      'unknown_parameter',
      'invalid_parameter',
      'invalid_idempotency_key',
      ...KEY_CODES,
      'insufficient_credits',
      'key_limit_reached',
      'model_not_allowed',
      'model_not_found',
      'idempotency_conflict',
      'request_too_large',
      'unsupported_media_type',
      ...CAPACITY_CODES,
    ]),
  },
}

export const cancelSession = {
  operationId: 'cancelSession',
  summary: 'Cancel a session that was not opened',
  description:
    'Returns the reserved credit and the concurrency slot immediately, instead of when the credential expires. ' +
    'The session’s credential stops working, and its `Idempotency-Key` can be used again. Safe to repeat. ' +
    'A session that was opened ends when its stream ends.',
  security: [{ apiKey: [] }],
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'ID of the session. It must belong to the account of the key.',
      schema: { type: 'string', format: 'uuid' },
    },
  ],
  responses: {
    200: answer('The session, now expired.', schemas.UsageSession, ['RateLimit', 'RateLimit-Policy']),
    ...refusals([
      ...KEY_CODES,
      'session_not_found',
      'session_already_opened',
      'request_rate_exceeded',
      ...FAULT_CODES,
    ]),
  },
}

export const readUsage = {
  operationId: 'readUsage',
  summary: 'Read the balance and recent sessions',
  description: 'Amounts are milliseconds of audio. The newest session comes first.',
  security: [{ apiKey: [] }],
  responses: {
    200: answer('The balance.', schemas.CreditBalance, ['RateLimit', 'RateLimit-Policy']),
    ...refusals([...KEY_CODES, 'request_rate_exceeded', ...FAULT_CODES]),
  },
}

export const openStream = {
  operationId: 'openStream',
  summary: 'Open the stream of a session',
  description: `A WebSocket. Offer both values of \`websocket_protocols\` as subprotocols, in this order; \`${STREAM_PROTOCOL}\` is selected.`,
  responses: { 101: { description: 'The stream is open.' }, ...refusals(['invalid_credential']) },
}

export const readHealth = {
  operationId: 'readHealth',
  summary: 'Liveness check',
  responses: { 200: { description: 'The process is running.' } },
}

export const readReadiness = {
  operationId: 'readReadiness',
  summary: 'Readiness check',
  responses: {
    200: { description: 'The service can accept sessions.' },
    ...refusals(['server_draining', 'engine_unavailable', 'service_unavailable']),
  },
}
