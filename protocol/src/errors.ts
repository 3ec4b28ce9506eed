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
  /** How a stream closes whose session is ordered after its handshake and refused. Our own protocol orders sessions over HTTP. */
  readonly orderClose?: number
  /** The stream tells it and goes on. */
  readonly warning?: true
  /** Only the console's own pages meet it; no part of the public interface. */
  readonly console?: true
}

const badRequest = { status: 400, type: 'invalid_request_error' } as const
const unauthenticated = { status: 401, type: 'authentication_error' } as const
const forbidden = { status: 403, type: 'permission_error' } as const
const limited = { status: 429, type: 'rate_limit_error' } as const
const unavailable = { status: 503, type: 'api_error' } as const

export const ERRORS = {
  invalid_json: { http: badRequest, warning: true, message: 'The message is not valid JSON.' },
  invalid_body: { http: badRequest, message: 'The request body must be a JSON object.' },
  missing_parameter: { http: badRequest, message: 'A required parameter is missing.' },
  unknown_parameter: { http: badRequest, message: 'The request has an unknown parameter.' },
  invalid_parameter: { http: badRequest, message: 'A parameter has an invalid value.' },
  invalid_idempotency_key: {
    http: badRequest,
    message:
      'Idempotency-Key must be 1 to 128 characters: letters A-Z and a-z, digits, dots, underscores, colons and hyphens.',
  },

  unsupported_audio: {
    http: badRequest,
    message: 'The audio format of the file is not supported. Send WAV, MP3, FLAC, Ogg or WebM.',
  },
  undecodable_audio: {
    http: badRequest,
    warning: true,
    message: 'The audio is damaged or contains no sound.',
  },
  audio_too_long: { http: badRequest, message: 'The file is longer than 2 hours.' },

  missing_api_key: { http: unauthenticated, message: 'Send an API key as "Authorization: Bearer <key>".' },
  invalid_api_key: { http: unauthenticated, message: 'The API key is not valid.' },
  expired_api_key: { http: unauthenticated, message: 'The API key has expired.' },
  revoked_api_key: { http: unauthenticated, message: 'The API key has been revoked.' },

  insufficient_credits: {
    http: { status: 402, type: 'insufficient_credits' },
    orderClose: 4402,
    message: 'The account has less than one second of audio credit available.',
  },

  key_limit_reached: {
    http: { status: 402, type: 'insufficient_credits' },
    orderClose: 4402,
    message: 'The API key has reached its monthly audio limit.',
  },

  account_inactive: { http: forbidden, close: 4403, message: 'The account is not active.' },
  address_not_allowed: {
    http: forbidden,
    message: 'The API key cannot be used from this IP address.',
  },
  model_not_allowed: { http: forbidden, orderClose: 4403, message: 'The API key does not allow this model.' },

  model_not_found: {
    http: { status: 404, type: 'model_not_found' },
    message: 'The requested model does not exist.',
  },
  session_not_found: {
    http: { status: 404, type: 'invalid_request_error' },
    message: 'The account has no session with this ID.',
  },
  route_not_found: {
    http: { status: 404, type: 'invalid_request_error' },
    message: 'Nothing was found at this address.',
  },
  method_not_allowed: {
    http: { status: 405, type: 'invalid_request_error' },
    message: 'This address does not support the HTTP method of the request.',
  },
  idempotency_conflict: {
    http: { status: 409, type: 'idempotency_conflict' },
    message: 'The Idempotency-Key was already used with a different request body.',
  },
  session_already_opened: {
    http: { status: 409, type: 'invalid_request_error' },
    message: 'The session was already opened. It ends when its stream ends.',
  },
  request_too_large: {
    http: { status: 413, type: 'request_too_large' },
    message: 'The request body exceeds 16 KiB.',
  },
  file_too_large: {
    http: { status: 413, type: 'request_too_large' },
    message: 'The file is larger than 512 MiB.',
  },
  unsupported_media_type: {
    http: { status: 415, type: 'unsupported_media_type' },
    message: 'Content-Type must be application/json.',
  },

  concurrency_limit_exceeded: {
    http: limited,
    orderClose: 4429,
    message: 'The account already has an active or reserved ASR session.',
  },
  request_rate_exceeded: {
    http: limited,
    orderClose: 4429,
    message: 'Too many requests. Try again after Retry-After seconds.',
  },

  service_unavailable: {
    http: unavailable,
    orderClose: 1013,
    message: 'The service is temporarily unavailable.',
  },
  engine_unavailable: {
    http: unavailable,
    close: 1013,
    message: 'The recogniser is temporarily unavailable.',
  },
  capacity_exceeded: { http: unavailable, orderClose: 1013, message: 'All recognition capacity is in use.' },
  server_draining: {
    http: unavailable,
    orderClose: 1012,
    message: 'The server is restarting and does not accept new sessions.',
  },
  internal_error: { http: unavailable, close: 1011, message: 'Something went wrong on our side.' },

  frame_too_large: { close: 1009, message: 'A binary frame can contain at most 65,536 bytes.' },
  message_too_large: { close: 1009, message: 'A text message can contain at most 16 KiB.' },
  protocol_error: { close: 1002, message: 'A frame violates the WebSocket protocol.' },
  invalid_utf8: { close: 1007, message: 'A text message is not valid UTF-8.' },
  server_restarting: { close: 1012, message: 'The server is restarting.' },
  too_many_invalid_messages: { close: 4400, message: 'Too many invalid messages.' },
  invalid_credential: { http: unauthenticated, close: 4401, message: 'The session credential is not valid.' },
  expired_credential: { close: 4401, message: 'The session credential has expired.' },
  credential_already_used: { close: 4401, message: 'The session credential was already used.' },
  audio_limit_reached: { close: 4402, message: 'The reserved audio time is used up.' },
  key_revoked: { close: 4403, message: 'The API key of this session was revoked or has expired.' },
  idle_timeout: { close: 4408, message: 'No data was received for too long.' },
  session_timeout: { close: 4408, message: 'The session was open for too long.' },
  slow_consumer: { close: 4408, message: 'The client reads events too slowly.' },

  audio_before_ready: {
    warning: true,
    message: 'Audio was sent before the ready event. It was ignored and is not billed.',
  },
  unknown_message_type: { warning: true, message: 'The message type is unknown.' },
  invalid_message: { warning: true, message: 'The message is not valid.' },
  language_mismatch: {
    warning: true,
    message: 'The language does not match the model of this session.',
  },
  config_not_allowed: {
    warning: true,
    message: 'Settings cannot be changed during an utterance. Flush or reset first.',
  },

  sign_in_required: { http: unauthenticated, console: true, message: 'Sign in to continue.' },
  invalid_sign_in: {
    http: unauthenticated,
    console: true,
    message: 'The email address or the password is wrong.',
  },
  code_required: {
    http: unauthenticated,
    console: true,
    message: 'Enter the code from your authenticator app.',
  },
  wrong_code: { http: badRequest, console: true, message: 'The code is wrong or was already used.' },
  passkey_refused: {
    http: unauthenticated,
    console: true,
    message: 'This passkey was not accepted. Try again, or sign in with your password.',
  },
  passkey_not_added: {
    http: badRequest,
    console: true,
    message: 'The passkey could not be added. Try again.',
  },
  passkey_limit_reached: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'You have 20 passkeys. Remove one first.',
  },
  passkeys_unavailable: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'Passkeys do not work at this address.',
  },
  organisation_unavailable: {
    http: unavailable,
    console: true,
    message: 'The sign-in of your organisation does not answer as it should. Try again later.',
  },
  organisation_refused: {
    http: unauthenticated,
    console: true,
    message: 'The answer of your organisation could not be verified. Start again.',
  },
  organisation_denied: {
    http: unauthenticated,
    console: true,
    message: 'Your organisation did not let you in.',
  },
  organisation_expired: {
    http: badRequest,
    console: true,
    message: 'This sign-in was used before or took too long. Start again.',
  },
  email_not_confirmed: {
    http: forbidden,
    console: true,
    message: 'Your organisation does not confirm your email address. Ask its administrators.',
  },
  person_unknown: {
    http: forbidden,
    console: true,
    message: 'Nobody with your email address is known here. Ask for an invitation, or join the waitlist.',
  },
  confirmation_required: {
    http: forbidden,
    console: true,
    message: 'Enter your password again to continue.',
  },
  wrong_password: { http: badRequest, console: true, message: 'The current password is wrong.' },
  common_password: {
    http: badRequest,
    console: true,
    message: 'This password is too common. Choose another one.',
  },
  invalid_link: {
    http: badRequest,
    console: true,
    message: 'This link was already used or has expired. Ask for a new one.',
  },
  foreign_origin: { http: forbidden, console: true, message: 'The request did not come from the console.' },
  operator_only: { http: forbidden, console: true, message: 'Only operators can do this.' },
  role_not_allowed: {
    http: forbidden,
    console: true,
    message: 'Your role does not allow this. Ask an owner.',
  },
  grant_cap_exceeded: {
    http: forbidden,
    console: true,
    message: 'This is more credit than your role can grant per day. Ask an owner.',
  },
  no_account: { http: forbidden, console: true, message: 'You have no account yet.' },
  record_not_found: {
    http: { status: 404, type: 'invalid_request_error' },
    console: true,
    message: 'Not found.',
  },
  key_not_usable: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'This key was revoked, has expired or was already rotated.',
  },
  already_decided: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'Someone else has already handled this request.',
  },
  email_taken: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'Someone already signs in with this email address.',
  },
  owner_only: { http: forbidden, console: true, message: 'Only owners of the account can do this.' },
  last_operator: {
    http: { status: 409, type: 'invalid_request_error' },
    console: true,
    message: 'You are the only owner. Invite another owner first.',
  },
  sign_in_busy: {
    http: unavailable,
    console: true,
    message: 'Many people are signing in right now. Try again in a few seconds.',
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
/** Codes that refuse a session which is ordered after the handshake. */
export type OrderErrorCode = CodesWith<'orderClose'>
/** Codes that are told on the stream and do not end it. */
export type WarningCode = CodesWith<'warning'>
/** Every code that a stream can send. */
export type StreamErrorCode = CloseErrorCode | WarningCode

export const STREAM_ERROR_CODES = (Object.keys(ERRORS) as ErrorCode[]).filter(isStreamError)

/** Whether a stream can send it: as the reason of its close, or as a warning. */
export function isStreamError(code: ErrorCode): code is StreamErrorCode {
  const { close, warning }: ErrorEntry = ERRORS[code]
  return close !== undefined || warning === true
}

export function isWarning(code: ErrorCode): code is WarningCode {
  return (ERRORS[code] as ErrorEntry).warning === true
}

export function endsStream(code: ErrorCode): code is CloseErrorCode {
  return (ERRORS[code] as ErrorEntry).close !== undefined
}

/** Whether it refuses a session that is ordered after the handshake. */
export function refusesOrder(code: ErrorCode): code is OrderErrorCode {
  return (ERRORS[code] as ErrorEntry).orderClose !== undefined
}

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

/** The close code of a code that ends a stream. */
export function closeCode(code: CloseErrorCode | OrderErrorCode): number {
  const { close, orderClose }: ErrorEntry = ERRORS[code]
  return (close ?? orderClose)!
}
