// The responses of the operations: their headers, and every error that an operation can answer with.

import { ERRORS, type ErrorEntry, type HttpErrorCode } from '@sauti/protocol/errors'
import { ErrorBody } from '@sauti/protocol/http'
import { referTo } from './schemas.ts'

export const KEY_CODES = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'account_inactive',
  'address_not_allowed',
] as const
export const FAULT_CODES = ['service_unavailable', 'internal_error'] as const
/** Of whatever starts a session. */
export const CAPACITY_CODES = [
  'concurrency_limit_exceeded',
  'request_rate_exceeded',
  'engine_unavailable',
  'capacity_exceeded',
  'server_draining',
  ...FAULT_CODES,
] as const
/** Of a call that takes a whole recording. */
export const RECORDING_CODES = [
  'invalid_body',
  'invalid_parameter',
  'unsupported_audio',
  'undecodable_audio',
  'audio_too_long',
  ...KEY_CODES,
  'insufficient_credits',
  'model_not_allowed',
  'model_not_found',
  'file_too_large',
  'unsupported_media_type',
  ...CAPACITY_CODES,
] as const

export const HEADERS = {
  'X-Request-Id': {
    description: 'Identifies this request. Keep it for support.',
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Policy': {
    description: 'The limit that applies: `"name";q=requests;w=seconds`.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'The rest of the limit: `"name";r=requests;t=seconds`.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotent-Replayed': {
    description: '`true` if this response repeats an earlier one.',
    schema: { type: 'string', const: 'true' },
  },
  'X-Session-Id': {
    description: 'ID of the session that the file was billed to. It appears in the usage list.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Ignored-Parameters': {
    description: 'Fields of the form that had no effect, separated by commas. Absent if all had one.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme.',
    schema: { type: 'string', const: 'Bearer' },
  },
} as const
type HeaderName = keyof typeof HEADERS

export function answer(description: string, schema: object, headers: readonly HeaderName[]) {
  return {
    description,
    headers: referToHeaders(['X-Request-Id', ...headers]),
    content: { 'application/json': { schema: referTo(schema) } },
  }
}

/** How errors are reported: the spec's form (2.6), unless an operation has a foreign one. */
export interface ErrorForm {
  readonly schema: object
  readonly example: (code: HttpErrorCode) => object
}

const OWN_FORM: ErrorForm = { schema: ErrorBody, example: errorExample }

/** One response per status, with each of its codes as an example. */
export function refusals(codes: readonly HttpErrorCode[], form: ErrorForm = OWN_FORM) {
  const byStatus: Record<number, HttpErrorCode[]> = {}
  for (const code of codes) {
    const { status } = ERRORS[code].http
    byStatus[status] = [...(byStatus[status] ?? []), code]
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group]) => [status, refusal(Number(status), group, form)]),
  )
}

function refusal(status: number, codes: readonly HttpErrorCode[], { schema, example }: ErrorForm) {
  const headers: HeaderName[] = ['X-Request-Id']
  if (status === 401) headers.push('WWW-Authenticate')
  if (status === 429 || status === 503) headers.push('Retry-After')
  return {
    description: codes.map(code => `\`${code}\``).join(', '),
    headers: referToHeaders(headers),
    content: {
      'application/json': {
        schema: referTo(schema),
        examples: Object.fromEntries(codes.map(code => [code, { value: example(code) }])),
      },
    },
  }
}

function errorExample(code: HttpErrorCode): ErrorBody {
  const { http, message }: ErrorEntry = ERRORS[code]
  return { error: { type: http!.type, code, message, request_id: '00000000-0000-4000-8000-000000000000' } }
}

export function referToHeaders(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
