// One WebSocket from connecting to its end: text becomes events, and every way to end becomes one outcome with a reason.

import type { AsrSession } from '@sauti/protocol/http'
import type { ErrorEvent, ServerEvent } from '@sauti/protocol/stream'
import { CERTIFICATE_HINT, isUntrusted } from '../certificate.ts'
import { SautiStreamError, type StreamFailure } from '../errors.ts'
import { type Connect, globalConnect, type WebSocketLike } from './socket.ts'

/** The part of the session response that the live half needs: relay all of it, or only this. */
export type LiveSessionGrant = Pick<AsrSession, 'id' | 'websocket_url' | 'websocket_protocols'>

export interface ConnectionHandlers {
  onEvent(event: ServerEvent): void
  /** Called once, last. Without a failure the session ended at the request of the caller. */
  onEnd(failure: SautiStreamError | undefined): void
}

const NORMAL_CLOSE = 1000
/** How long the closing handshake may take, at our request or after a fatal error, before we stop waiting for it. */
const CLOSE_TIMEOUT_MS = 10_000

export class Connection {
  readonly #grant: LiveSessionGrant
  readonly #handlers: ConnectionHandlers
  readonly #socket: WebSocketLike | undefined
  #open = false
  #hungUp = false
  #ended = false
  #closeTimer: ReturnType<typeof setTimeout> | undefined
  #fatal: ErrorEvent | undefined
  #socketError: unknown

  constructor(grant: LiveSessionGrant, connect: Connect | undefined, handlers: ConnectionHandlers) {
    this.#grant = grant
    this.#handlers = handlers
    this.#socket = this.#connect(connect ?? globalConnect())
    if (this.#socket) this.#listen(this.#socket)
  }

  get bufferedAmount(): number {
    return this.#socket?.bufferedAmount ?? 0
  }

  send(content: string | Uint8Array<ArrayBuffer>): void {
    this.#socket?.send(content)
  }

  /** Ends the session at the request of the caller. */
  hangUp(): void {
    if (this.#hungUp || this.#ended) return
    this.#hungUp = true
    this.#socket?.close(NORMAL_CLOSE)
    this.#closeTimer = setTimeout(
      () => this.fail('network_lost', 'The service did not answer the closing of the session.'),
      CLOSE_TIMEOUT_MS,
    )
  }

  fail(code: StreamFailure, message: string, cause?: unknown): void {
    this.#end(this.#error(code, message, { cause }))
    this.#socket?.close(NORMAL_CLOSE)
  }

  /** Failures while connecting are reported later, so that the caller that opens the session can listen first. */
  #connect(connect: Connect | undefined): WebSocketLike | undefined {
    if (!connect) {
      const message = 'This runtime has no WebSocket; pass `connect` (on Node 20 with the package ws).'
      queueMicrotask(() => this.fail('no_websocket', message))
      return undefined
    }
    try {
      return connect(this.#grant.websocket_url, [...this.#grant.websocket_protocols])
    } catch (cause) {
      queueMicrotask(() => this.fail('connection_failed', 'The connection could not be opened.', cause))
      return undefined
    }
  }

  #listen(socket: WebSocketLike): void {
    socket.addEventListener('open', () => {
      this.#open = true
    })
    socket.addEventListener('message', ({ data }) => this.#receive(data))
    socket.addEventListener('error', event => {
      this.#socketError = (event as { error?: unknown }).error
    })
    socket.addEventListener('close', ({ code, reason }) => this.#disconnected(code, reason))
  }

  #receive(data: unknown): void {
    const event = parseEvent(data)
    if (!event || this.#ended) return
    if (event.type === 'error' && event.fatal) this.#expectClose(event)
    this.#handlers.onEvent(event)
  }

  /** The service closes after a fatal error; if the close is lost, the error is enough. */
  #expectClose(error: ErrorEvent): void {
    this.#fatal = error
    clearTimeout(this.#closeTimer)
    this.#closeTimer = setTimeout(() => this.#disconnected(undefined, error.code), CLOSE_TIMEOUT_MS)
  }

  #disconnected(closeCode: number | undefined, reason: string): void {
    if (this.#fatal) {
      this.#end(this.#error(this.#fatal.code, this.#fatal.message, { closeCode }))
    } else if (this.#hungUp || closeCode === NORMAL_CLOSE) {
      this.#end(undefined)
    } else if (!this.#open) {
      const cause = this.#socketError
      if (isUntrusted(cause)) {
        const message = `The certificate of the service is not trusted. ${CERTIFICATE_HINT}`
        this.#end(this.#error('certificate_untrusted', message, { closeCode, cause }))
        return
      }
      const why = cause instanceof Error ? `: ${cause.message}` : ''
      this.#end(
        this.#error('connection_failed', `The connection could not be opened${why}.`, { closeCode, cause }),
      )
    } else if (reason) {
      this.#end(this.#error(reason, `The service closed the session: ${reason}.`, { closeCode }))
    } else {
      const details = { closeCode, cause: this.#socketError }
      this.#end(this.#error('network_lost', 'The connection to the service broke.', details))
    }
  }

  #error(code: string, message: string, details: { closeCode?: number | undefined; cause?: unknown }) {
    return new SautiStreamError(code, message, { sessionId: this.#grant.id, ...details })
  }

  #end(failure: SautiStreamError | undefined): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#closeTimer)
    this.#handlers.onEnd(failure)
  }
}

/** Clients ignore what they do not know; a frame that is not an event is ignored too. */
function parseEvent(data: unknown): ServerEvent | undefined {
  if (typeof data !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(data)
    const known = typeof value === 'object' && value !== null && 'type' in value
    return known ? (value as ServerEvent) : undefined
  } catch {
    return undefined
  }
}
