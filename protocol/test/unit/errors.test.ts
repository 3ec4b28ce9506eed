import { ErrorEventSchema } from '@sauti/protocol/stream-schemas'
import { describe, expect, it } from 'vitest'
import {
  ERRORS,
  type ErrorCode,
  type ErrorEntry,
  httpAnswer,
  ServiceError,
  STREAM_ERROR_CODES,
} from '#protocol/errors.js'

// The table of decisions, copied by hand: what a client may rely on.
const HTTP: Record<number, Record<string, string[]>> = {
  400: {
    invalid_request_error: [
      'invalid_json',
      'invalid_body',
      'missing_parameter',
      'unknown_parameter',
      'invalid_parameter',
      'invalid_idempotency_key',
      'unsupported_audio',
      'undecodable_audio',
      'audio_too_long',
    ],
  },
  401: {
    authentication_error: [
      'missing_api_key',
      'invalid_api_key',
      'expired_api_key',
      'revoked_api_key',
      'invalid_credential',
    ],
  },
  402: { insufficient_credits: ['insufficient_credits', 'key_limit_reached'] },
  403: { permission_error: ['account_inactive', 'model_not_allowed', 'address_not_allowed'] },
  404: {
    model_not_found: ['model_not_found'],
    invalid_request_error: ['route_not_found', 'session_not_found'],
  },
  405: { invalid_request_error: ['method_not_allowed'] },
  409: {
    idempotency_conflict: ['idempotency_conflict'],
    invalid_request_error: ['session_already_opened'],
  },
  413: { request_too_large: ['request_too_large', 'file_too_large'] },
  415: { unsupported_media_type: ['unsupported_media_type'] },
  429: { rate_limit_error: ['concurrency_limit_exceeded', 'request_rate_exceeded'] },
  503: {
    api_error: [
      'service_unavailable',
      'engine_unavailable',
      'capacity_exceeded',
      'server_draining',
      'internal_error',
    ],
  },
}

const CLOSE: Record<number, string[]> = {
  1002: ['protocol_error'],
  1007: ['invalid_utf8'],
  1009: ['frame_too_large', 'message_too_large'],
  1011: ['internal_error'],
  1012: ['server_restarting'],
  1013: ['engine_unavailable'],
  4400: ['too_many_invalid_messages'],
  4401: ['invalid_credential', 'expired_credential', 'credential_already_used'],
  4402: ['audio_limit_reached'],
  4403: ['account_inactive', 'key_revoked'],
  4408: ['idle_timeout', 'session_timeout', 'slow_consumer'],
}

const WARNINGS = [
  'audio_before_ready',
  'invalid_json',
  'unknown_message_type',
  'invalid_message',
  'language_mismatch',
  'config_not_allowed',
  'undecodable_audio',
]

const entries = Object.entries<ErrorEntry>(ERRORS)
// What only the console's own pages meet may change with every release.
const promised = entries.filter(([, entry]) => !entry.console)

describe('the error table', () => {
  it('answers HTTP with the agreed status and type for every code, and has no other', () => {
    const rows = Object.entries(HTTP).flatMap(([status, types]) =>
      Object.entries(types).flatMap(([type, codes]) =>
        codes.map(code => [code, { status: Number(status), type }]),
      ),
    )
    const actual = promised.filter(([, entry]) => entry.http).map(([code, entry]) => [code, entry.http])
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(rows))
  })

  it('closes the stream with the agreed code, and has no other', () => {
    const rows = Object.entries(CLOSE).flatMap(([close, codes]) => codes.map(code => [code, Number(close)]))
    const actual = entries.filter(([, entry]) => entry.close).map(([code, entry]) => [code, entry.close])
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(rows))
  })

  it('knows codes that neither answer HTTP nor end a stream only as warnings', () => {
    const rest = entries.filter(([, entry]) => !entry.http && !entry.close).map(([code]) => code)
    expect(WARNINGS).toEqual(expect.arrayContaining(rest))
  })

  it('has a message for every code, and close reasons that fit a close frame', () => {
    for (const [code, entry] of entries) {
      expect(entry.message).toMatch(/^[A-Z].*\.$/)
      expect(Buffer.byteLength(code)).toBeLessThanOrEqual(123)
    }
  })

  it('turns a code without an HTTP form into internal_error', () => {
    expect(httpAnswer('idle_timeout')).toEqual({ status: 503, type: 'api_error', code: 'internal_error' })
  })

  it('publishes for the stream what a stream can send, and nothing else', () => {
    const closes = Object.values(CLOSE).flat()
    expect([...STREAM_ERROR_CODES].sort()).toEqual([...closes, ...WARNINGS].sort())
    expect(ErrorEventSchema.properties.code.enum).toEqual(STREAM_ERROR_CODES)
  })
})

describe('ServiceError', () => {
  it('has the message of the table unless a better one is given, and its cause', () => {
    const cause = new Error('inner')
    const code: ErrorCode = 'capacity_exceeded'
    expect(new ServiceError(code).message).toBe(ERRORS[code].message)
    expect(new ServiceError(code, { message: 'other', retryAfterSeconds: 7, cause })).toMatchObject({
      code,
      message: 'other',
      retryAfterSeconds: 7,
      cause,
    })
  })
})
