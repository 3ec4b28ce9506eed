// The operations of the OpenAPI document: what each takes, answers and refuses.

import { ERRORS, type ErrorEntry, type HttpErrorCode } from '@sauti/protocol/errors'
import * as schemas from '@sauti/protocol/http'
import { STREAM_PROTOCOL } from '@sauti/protocol/stream'
import { referTo } from './openapi-schemas.ts'

const KEY_CODES = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'account_inactive',
] as const
const FAULT_CODES = ['service_unavailable', 'internal_error'] as const

export const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request; keep it for support.',
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Policy': {
    description: 'The rate that holds: `"name";q=requests;w=seconds`.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of it: `"name";r=requests;t=seconds`.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotent-Replayed': {
    description: '`true` when the answer repeats an earlier one.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'The scheme of the key.', schema: { type: 'string', const: 'Bearer' } },
} as const
type HeaderName = keyof typeof HEADERS

export const listModels = {
  operationId: 'listModels',
  summary: 'List the models',
  description: 'Public. The list is the same for everyone.',
  responses: {
    200: answer('The models.', schemas.ModelList, ['RateLimit', 'RateLimit-Policy']),
    ...refusals(['request_rate_exceeded', 'internal_error']),
  },
}

export const createSession = {
  operationId: 'createSession',
  summary: 'Create a streaming session',
  description:
    'Reserves audio credit and answers with a WebSocket address and a one-use credential that is valid for 60 seconds. ' +
    'When less credit is left than asked for, the reservation is shorter; the answer says how long it is. ' +
    'Relay only this answer to your client, and do not log it. Unused credit returns when the session ends.',
  security: [{ apiKey: [] }],
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Repeating a request with the same key and body gives the same answer until the session expires. Retry with the same key.',
      schema: { type: 'string', minLength: 1, maxLength: 128, pattern: schemas.IDEMPOTENCY_KEY_PATTERN },
    },
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: referTo(schemas.CreateSessionRequest) } },
  },
  responses: {
    201: answer('The session, reserved.', schemas.AsrSession, [
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
      'model_not_allowed',
      'model_not_found',
      'idempotency_conflict',
      'request_too_large',
      'unsupported_media_type',
      'concurrency_limit_exceeded',
      'request_rate_exceeded',
      'engine_unavailable',
      'capacity_exceeded',
      'server_draining',
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
  description: `A WebSocket. Offer both values of \`websocket_protocols\` as subprotocols, in their order; \`${STREAM_PROTOCOL}\` is selected.`,
  responses: { 101: { description: 'The stream is open.' }, ...refusals(['invalid_credential']) },
}

export const readHealth = {
  operationId: 'readHealth',
  summary: 'Whether the process lives',
  responses: { 200: { description: 'It does.' } },
}

export const readReadiness = {
  operationId: 'readReadiness',
  summary: 'Whether a session can be taken now',
  responses: {
    200: { description: 'Yes.' },
    ...refusals(['server_draining', 'engine_unavailable', 'service_unavailable']),
  },
}

function answer(description: string, schema: object, headers: readonly HeaderName[]) {
  return {
    description,
    headers: referToHeaders(['X-Request-Id', ...headers]),
    content: { 'application/json': { schema: referTo(schema) } },
  }
}

/** One response a status, with each of its codes as an example. */
function refusals(codes: readonly HttpErrorCode[]) {
  const byStatus: Record<number, HttpErrorCode[]> = {}
  for (const code of codes) {
    const { status } = ERRORS[code].http
    byStatus[status] = [...(byStatus[status] ?? []), code]
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group]) => [status, refusal(Number(status), group)]),
  )
}

function refusal(status: number, codes: readonly HttpErrorCode[]) {
  const headers: HeaderName[] = ['X-Request-Id']
  if (status === 401) headers.push('WWW-Authenticate')
  if (status === 429 || status === 503) headers.push('Retry-After')
  return {
    description: codes.map(code => `\`${code}\``).join(', '),
    headers: referToHeaders(headers),
    content: {
      'application/json': {
        schema: referTo(schemas.ErrorBody),
        examples: Object.fromEntries(codes.map(code => [code, { value: errorExample(code) }])),
      },
    },
  }
}

function errorExample(code: HttpErrorCode): schemas.ErrorBody {
  const { http, message }: ErrorEntry = ERRORS[code]
  return { error: { type: http!.type, code, message, request_id: '00000000-0000-4000-8000-000000000000' } }
}

function referToHeaders(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
