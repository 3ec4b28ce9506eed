// What an entry of the table of errors says, and the answers of HTTP that many entries share.

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
  /** The stream reports it and goes on. */
  readonly warning?: true
  /** Only the console's own pages get it; not part of the public interface. */
  readonly console?: true
}

export const badRequest = { status: 400, type: 'invalid_request_error' } as const
export const unauthenticated = { status: 401, type: 'authentication_error' } as const
export const forbidden = { status: 403, type: 'permission_error' } as const
export const limited = { status: 429, type: 'rate_limit_error' } as const
export const unavailable = { status: 503, type: 'api_error' } as const
