// Between the socket and the connection's loop: what the client sends goes into the inbox, events go out through the outbox,
// and reading can be paused without losing sight of the client.

import { type CloseErrorCode, closeCode, ServiceError } from '@sauti/protocol/errors'
import type { ClientRequest, ServerEvent } from '@sauti/protocol/stream'
import type { RecogniserEvent, RecogniserStream } from '../recogniser/port.ts'
import { Inbox } from './inbox.ts'
import { type Liveness, noteFrame, startLiveness } from './keepalive.ts'
import { Outbox } from './outbox.ts'
import { UNSENT_HIGH_BYTES } from './settings.ts'
import type { SocketListener, StreamSocket } from './socket.ts'

export type Departure = 'client_closed' | 'client_vanished'

/** What the client did, in its order. */
export type Frame =
  | { readonly type: 'audio'; readonly bytes: Buffer }
  | { readonly type: 'text'; readonly bytes: Buffer }
  | { readonly type: 'broken'; readonly error: ServiceError }
  | { readonly type: 'closed'; readonly departure: Departure }

export function isFrame(input: Frame | Signal): input is Frame {
  return input.type === 'audio' || input.type === 'text' || input.type === 'broken' || input.type === 'closed'
}

/** What happened on our side. */
export type Signal =
  /** With what the client asked for before. */
  | {
      readonly type: 'opened'
      readonly recogniser: RecogniserStream
      readonly early: readonly ClientRequest[]
    }
  | { readonly type: 'recogniser'; readonly event: RecogniserEvent }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'stop'; readonly reason: StopReason }
  | { readonly type: 'drained' }

/** Why we end a connection that did nothing wrong. */
export type StopReason = CloseErrorCode | 'client_vanished'

/** The code of a close without a close frame; 1005 is a close frame that gives no code. */
const ABNORMAL_CLOSURE = 1006

export interface LinkParts {
  readonly socket: StreamSocket
  readonly maxUnsentBytes: number
  readonly monotonicMs: () => number
  /** Takes everything that happens, one at a time. Must not throw. */
  readonly handle: (input: Frame | Signal) => void
}

export class Link implements SocketListener {
  readonly inbox: Inbox<Frame, Signal>
  readonly liveness: Liveness
  readonly #socket: StreamSocket
  readonly #monotonicMs: () => number
  readonly #outbox: Outbox
  /** Nothing is taken from the client or told to it any more. */
  #closed = false
  #dismissal: ServiceError | undefined

  constructor({ socket, maxUnsentBytes, monotonicMs, handle }: LinkParts) {
    this.#socket = socket
    this.#monotonicMs = monotonicMs
    this.inbox = new Inbox<Frame, Signal>(handle)
    this.liveness = startLiveness(monotonicMs())
    this.#outbox = new Outbox(socket, maxUnsentBytes, () => this.inbox.putSignal({ type: 'drained' }))
    socket.tell(this)
  }

  get isBlocked(): boolean {
    return this.#outbox.isBlocked
  }

  send(event: ServerEvent): void {
    if (!this.#closed) this.#outbox.send(event)
  }

  ping(): void {
    if (!this.#closed) this.#socket.ping()
  }

  /** Holds back what was read already and reads no more. Once the client has left there is nothing to hold back from it. */
  setPaused(paused: boolean): void {
    if (paused === this.liveness.paused || this.#closed) return
    this.liveness.paused = paused
    if (paused) {
      this.inbox.hold()
      this.#socket.pause()
    } else {
      noteFrame(this.liveness, this.#monotonicMs())
      this.inbox.release()
      this.#socket.resume()
    }
  }

  /** The last word to the client; the close with the same word comes with hangUp(). Nothing is taken or said in between. */
  dismiss(error: ServiceError, sessionId: string | null): void {
    if (this.#closed) return
    const { code, message } = error
    this.#outbox.sendLast({ type: 'error', message, code, fatal: true, session_id: sessionId })
    this.#closed = true
    this.#dismissal = error
    // The client's close must be read, or the connection would last until its time-out.
    this.#socket.resume()
  }

  /** Our close, or our answer to the client's. */
  hangUp(): void {
    const { code } = this.#dismissal ?? {}
    if (code) this.#socket.hangUp(closeCode(code), code)
    else this.#socket.answerClose()
  }

  terminate(): void {
    this.#socket.terminate()
  }

  onMessage(bytes: Buffer, isBinary: boolean): void {
    noteFrame(this.liveness, this.#monotonicMs())
    this.#put({ type: isBinary ? 'audio' : 'text', bytes })
  }

  /** A client that pings without reading would fill our memory with pongs; one that reads again is answered again. */
  onPing(data: Buffer): void {
    noteFrame(this.liveness, this.#monotonicMs())
    if (!this.#closed && this.#socket.bufferedAmount < UNSENT_HIGH_BYTES) this.#socket.pong(data)
  }

  onPong(): void {
    this.liveness.unansweredPings = 0
  }

  onRefused(code: CloseErrorCode): void {
    this.#put({ type: 'broken', error: new ServiceError(code) })
  }

  onLeaving(): void {
    this.#leave('client_closed')
  }

  onClose(code: number): void {
    this.#leave(code === ABNORMAL_CLOSURE ? 'client_vanished' : 'client_closed')
  }

  #leave(departure: Departure): void {
    if (this.#closed) return
    this.#closed = true
    this.inbox.putFrame({ type: 'closed', departure })
    this.inbox.release()
  }

  #put(frame: Frame): void {
    if (!this.#closed) this.inbox.putFrame(frame)
  }
}
