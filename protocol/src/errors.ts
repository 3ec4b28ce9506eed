// The one table of errors (spec 7): a code decides the HTTP status and type, the WebSocket close code and the words that
// are safe to show. Whoever meets an error throws a ServiceError with a code; one place a transport turns it into an answer.

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'insufficient_credits'
  | 'permission_error'
  | 'model_not_found'
  | 'idempotency_conflict'
  | 'request_too_large'
  | 'unsupported_media_type'
  | 'rate_limit_error'
  | 'api_error'

export interface ErrorEntry {
  /** Safe to show to anyone. */
  readonly message: string
  /** How HTTP answers; absent where the code belongs to the stream alone. */
  readonly http?: { readonly status: number; readonly type: ErrorType }
  /** How the stream closes; absent where the code never ends a stream. */
  readonly close?: number
  /** Only the console's own pages meet it; no part of the public interface. */
  readonly console?: true
}

const badRequest = { status: 400, type: 'invalid_request_error' } as const
const unauthenticated = { status: 401, type: 'authentication_error' } as const
const forbidden = { status: 403, type: 'permission_error' } as const
const limited = { status: 429, type: 'rate_limit_error' } as const
const unavailable = { status: 503, type: 'api_error' } as const

export const ERRORS = {
  invalid_json: { http: badRequest, message: 'The message is not valid JSON.' },
  invalid_body: { http: badRequest, message: 'The request body must be a JSON object.' },
  missing_parameter: { http: badRequest, message: 'A required parameter is missing.' },
  unknown_parameter: { http: badRequest, message: 'The request has a parameter that is not known.' },
  invalid_parameter: { http: badRequest, message: 'A parameter has an invalid value.' },
  invalid_idempotency_key: {
    http: badRequest,
    message:
      'Idempotency-Key must be 1 to 128 characters of A-Z, a-z, 0-9, dot, underscore, colon and hyphen.',
  },

  missing_api_key: { http: unauthenticated, message: 'Send an API key as "Authorization: Bearer <key>".' },
  invalid_api_key: { http: unauthenticated, message: 'The API key is not valid.' },
  expired_api_key: { http: unauthenticated, message: 'The API key has expired.' },
  revoked_api_key: { http: unauthenticated, message: 'The API key has been revoked.' },

  insufficient_credits: {
    http: { status: 402, type: 'insufficient_credits' },
    message: 'The account has less than one second of audio credit available.',
  },

  account_inactive: { http: forbidden, close: 4403, message: 'The account is not active.' },
  model_not_allowed: { http: forbidden, message: 'The API key does not allow this model.' },

  model_not_found: {
    http: { status: 404, type: 'model_not_found' },
    message: 'The requested model does not exist.',
  },
  route_not_found: {
    http: { status: 404, type: 'invalid_request_error' },
    message: 'There is nothing at this address.',
  },
  method_not_allowed: {
    http: { status: 405, type: 'invalid_request_error' },
    message: 'This address does not take that method.',
  },
  idempotency_conflict: {
    http: { status: 409, type: 'idempotency_conflict' },
    message: 'The Idempotency-Key was already used with another request body.',
  },
  request_too_large: {
    http: { status: 413, type: 'request_too_large' },
    message: 'The request body exceeds 16 KiB.',
  },
  unsupported_media_type: {
    http: { status: 415, type: 'unsupported_media_type' },
    message: 'Content-Type must be application/json.',
  },

  concurrency_limit_exceeded: {
    http: limited,
    message: 'The account already has an active or reserved ASR session.',
  },
  request_rate_exceeded: {
    http: limited,
    message: 'Too many requests. Try again after Retry-After seconds.',
  },

  service_unavailable: { http: unavailable, message: 'The service is temporarily unavailable.' },
  engine_unavailable: {
    http: unavailable,
    close: 1013,
    message: 'The recogniser is temporarily unavailable.',
  },
  capacity_exceeded: { http: unavailable, message: 'All recognition capacity is in use.' },
  server_draining: { http: unavailable, message: 'The server is restarting and takes no new sessions.' },
  internal_error: { http: unavailable, close: 1011, message: 'Something went wrong on our side.' },

  completed: { close: 1000, message: 'The session is complete.' },
  frame_too_large: { close: 1009, message: 'A binary frame may hold at most 65,536 bytes.' },
  message_too_large: { close: 1009, message: 'A text message may hold at most 16 KiB.' },
  protocol_error: { close: 1002, message: 'A frame breaks the WebSocket protocol.' },
  invalid_utf8: { close: 1007, message: 'A text message is not valid UTF-8.' },
  server_restarting: { close: 1012, message: 'The server is restarting.' },
  too_many_invalid_messages: { close: 4400, message: 'Too many invalid messages.' },
  invalid_credential: { http: unauthenticated, close: 4401, message: 'The session credential is not valid.' },
  expired_credential: { close: 4401, message: 'The session credential has expired.' },
  credential_already_used: { close: 4401, message: 'The session credential was already used.' },
  audio_limit_reached: { close: 4402, message: 'The reserved audio time is used up.' },
  key_revoked: { close: 4403, message: 'The API key of this session was revoked.' },
  idle_timeout: { close: 4408, message: 'Nothing was received for too long.' },
  session_timeout: { close: 4408, message: 'The session was open for too long.' },
  slow_consumer: { close: 4408, message: 'The client reads events too slowly.' },

  audio_before_ready: { message: 'Audio was sent before ready; it was not accepted and is not billed.' },
  unknown_message_type: { message: 'The message type is not known.' },
  invalid_message: { message: 'The message is not valid.' },
  language_mismatch: { message: 'The language does not belong to the model of this session.' },
  config_not_allowed: {
    message: 'Settings cannot change while an utterance is under way; flush or reset first.',
  },

  sign_in_required: { http: unauthenticated, console: true, message: 'Sign in first.' },
  invalid_sign_in: {
    http: unauthenticated,
    console: true,
    message: 'The e-mail address or the password is not right.',
  },
  wrong_password: { http: badRequest, console: true, message: 'The current password is not right.' },
  invalid_link: {
    http: badRequest,
    console: true,
    message: 'This link was already used or has expired. Ask for a new one.',
  },
  foreign_origin: { http: forbidden, console: true, message: 'The request does not come from the console.' },
  operator_only: { http: forbidden, console: true, message: 'Only operators may do this.' },
  no_account: { http: forbidden, console: true, message: 'You have no account of your own.' },
  record_not_found: {
    http: { status: 404, type: 'invalid_request_error' },
    console: true,
    message: 'There is no such record.',
  },
  already_decided: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'This was already decided.',
  },
  last_operator: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'You are the only operator. Make another one first: sauti operators create.',
  },
  too_many_attempts: {
    http: limited,
    console: true,
    message: 'Too many attempts. Wait a few minutes, then try again.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS
type CodesWith<K extends keyof ErrorEntry> = {
  [C in ErrorCode]: (typeof ERRORS)[C] extends Required<Pick<ErrorEntry, K>> ? C : never
}[ErrorCode]
export type HttpErrorCode = CodesWith<'http'>
/** Codes of the console's own API. */
export type ConsoleErrorCode = CodesWith<'console'>
export type CloseErrorCode = CodesWith<'close'>
/** Codes that are told on the stream and do not end it. */
export type WarningCode = Exclude<ErrorCode, HttpErrorCode | CloseErrorCode> | 'invalid_json'

export interface ErrorDetails {
  /** Replaces the table's words; must be as safe to show as they are. */
  readonly message?: string
  /** Seconds after which a retry makes sense; 429 and 503 carry it as Retry-After. */
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? ERRORS[code].message, { cause: details.cause })
    this.name = 'ServiceError'
    this.code = code
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** How HTTP tells this code. A code without an HTTP form reaching HTTP is our fault, so it becomes internal_error. */
export function httpAnswer(code: ErrorCode): { status: number; type: ErrorType; code: HttpErrorCode } {
  const entry: ErrorEntry = ERRORS[code]
  if (entry.http) return { ...entry.http, code: code as HttpErrorCode }
  return { ...ERRORS.internal_error.http, code: 'internal_error' }
}

/** The close code of a code that ends a stream; a code that has none is our fault: 1011. */
export function closeCode(code: ErrorCode): number {
  const entry: ErrorEntry = ERRORS[code]
  return entry.close ?? ERRORS.internal_error.close
}
