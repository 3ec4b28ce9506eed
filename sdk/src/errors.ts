// What can go wrong, in one shape: every error has a stable `code` for programs and a `message` for people.

export class SautiError extends Error {
  /** Stable; the field that programs should check. */
  readonly code: string

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'SautiError'
    this.code = code
  }
}

export interface ApiErrorDetails {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly retryAfterSeconds?: number | undefined
}

/** The service answered an HTTP request with an error (spec 7). */
export class SautiApiError extends SautiError {
  readonly status: number
  readonly type: string
  /** Identifies the request; give it to support. */
  readonly requestId: string
  readonly retryAfterSeconds: number | undefined

  constructor(details: ApiErrorDetails) {
    super(details.code, details.message)
    this.name = 'SautiApiError'
    this.status = details.status
    this.type = details.type
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** Reasons that the client itself gives for the end of a stream; all others are codes of the service. */
export type StreamFailure =
  /** There was no connection: refused, not reachable, or the upgrade was rejected. */
  | 'connection_failed'
  /** The certificate of the service is not trusted: trying again will not help. */
  | 'certificate_untrusted'
  /** There was a connection, but the session did not become ready in time. */
  | 'ready_timeout'
  /** The connection broke without a close, or no longer answered. */
  | 'network_lost'
  /** The caller closed the session, or aborted it. */
  | 'closed_by_caller'
  /** This runtime has no WebSocket and none was given. */
  | 'no_websocket'

/** A live session ended, or never began; `code` says why. */
export class SautiStreamError extends SautiError {
  /** The WebSocket close code, where the service closed. */
  readonly closeCode: number | undefined
  readonly sessionId: string

  constructor(
    code: string,
    message: string,
    details: { sessionId: string; closeCode?: number | undefined; cause?: unknown },
  ) {
    super(code, message, details.cause)
    this.name = 'SautiStreamError'
    this.closeCode = details.closeCode
    this.sessionId = details.sessionId
  }
}
