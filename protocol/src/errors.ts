// The one table of errors (spec 7): a code decides the HTTP status and type, the WebSocket close code and the words that
// are safe to show. Code that fails throws a ServiceError with a code; one place per transport turns it into an answer.

import { CONSOLE_ERRORS } from './errors/console-errors.ts'
import type { ErrorEntry, ErrorType } from './errors/entry.ts'
import { REQUEST_ERRORS } from './errors/request-errors.ts'
import { STREAM_ERRORS } from './errors/stream-errors.ts'

export const ERRORS = { ...REQUEST_ERRORS, ...STREAM_ERRORS, ...CONSOLE_ERRORS } satisfies Record<
  string,
  ErrorEntry
>

export type { ErrorEntry } from './errors/entry.ts'
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
/** Codes that a stream reports without ending. */
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

/** How HTTP reports this code. A code without an HTTP form reaching HTTP is our fault, so it becomes internal_error. */
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
