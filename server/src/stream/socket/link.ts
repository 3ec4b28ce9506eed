// Between the socket and the connection's loop: what the client sends goes into the inbox, events go out through the outbox,
// and reading can be paused while the client is still watched.

import { type CloseErrorCode, ServiceError } from '@sauti/protocol/errors'
import type { RecogniserEvent, RecogniserStream } from '../../recogniser/port.ts'
import type { StageRequest } from '../conversation/stage.ts'
import type { CloseFrame, Dialect, StreamEvent } from '../dialect.ts'
import { ANSWERED_MESSAGE_COST, UNSENT_HIGH_BYTES } from '../settings.ts'
import { Inbox } from './inbox.ts'
import { type Liveness, noteFrame, notePing, startLiveness } from './keepalive.ts'
import { MessagePace } from './message-pace.ts'
import { Outbox, type Outgoing } from './outbox.ts'
import type { SocketListener, StreamSocket } from './socket.ts'

export type Departure = 'client_closed' | 'client_vanished'

/** What the client did, in its order. */
export type Frame =
  | { readonly type: 'message'; readonly bytes: Buffer; readonly isBinary: boolean }
  | { readonly type: 'broken'; readonly error: ServiceError }
  | { readonly type: 'left'; readonly departure: Departure }

/** What happened on our side. */
export type Signal =
  /** With what the client asked for before. */
  | {
      readonly type: 'opened'
      readonly recogniser: RecogniserStream
      readonly early: readonly StageRequest[]
    }
  | { readonly type: 'recogniser'; readonly event: RecogniserEvent }
  | { readonly type: 'voice'; readonly likelihoods: readonly number[] }
  | { readonly type: 'decoded'; readonly samples: Int16Array<ArrayBuffer> | undefined }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** The client may be read again. */
  | { readonly type: 'drained' }
  | { readonly type: 'extended' }

/** Why we end a connection that did nothing wrong. */
export type StopReason = CloseErrorCode | 'client_vanished'

/** What the connection knows and the sweep of the keepalive must know too. */
export interface Report {
  readonly mustPause: boolean
  readonly isBusy: boolean
  readonly isSpent: boolean
}

/** The code of a close without a close frame; 1005 is a close frame that gives no code. */
const ABNORMAL_CLOSURE = 1006

export interface LinkParts {
  readonly socket: StreamSocket
  readonly dialect: Dialect
  readonly maxUnsentBytes: number
  readonly monotonicMs: () => number
  /** Takes everything that happens, one at a time. Must not throw. */
  readonly handle: (input: Frame | Signal) => void
}

/** Once the client has left or was sent its last message, nothing is taken from it or sent to it any more. */
type Intake = 'reading' | 'paused' | 'last_sent' | 'left'

export class Link implements SocketListener {
  readonly inbox: Inbox<Frame, Signal>
  readonly #liveness: Liveness
  readonly #socket: StreamSocket
  readonly #monotonicMs: () => number
  readonly #outbox: Outbox
  readonly #pace: MessagePace
  #paceTimer: NodeJS.Timeout | undefined
  #intake: Intake = 'reading'

  constructor({ socket, dialect, maxUnsentBytes, monotonicMs, handle }: LinkParts) {
    this.#socket = socket
    this.#monotonicMs = monotonicMs
    this.inbox = new Inbox<Frame, Signal>(handle)
    this.#liveness = startLiveness(monotonicMs())
    this.#pace = new MessagePace(monotonicMs)
    this.#outbox = new Outbox({
      sink: socket,
      dialect,
      maxWaitingBytes: maxUnsentBytes,
      onDrained: () => this.inbox.putSignal({ type: 'drained' }),
    })
    socket.listen(this)
  }

  get liveness(): Readonly<Liveness> {
    return this.#liveness
  }

  get isPaused(): boolean {
    return this.#intake === 'paused'
  }

  get #isOpen(): boolean {
    return this.#intake === 'reading' || this.#intake === 'paused'
  }

  send(item: Outgoing): void {
    if (this.#isOpen) this.#outbox.send(item)
  }

  ping(): void {
    notePing(this.#liveness, this.#monotonicMs())
    if (this.#isOpen) this.#socket.ping()
  }

  /** How long the connection may stay open. */
  allow(wallClockMs: number): void {
    this.#liveness.wallClockMs = wallClockMs
  }

  /** After everything that happened: reads the client more slowly, or again, and notes what the next sweep must know. */
  report({ mustPause, isBusy, isSpent }: Report): void {
    const { isBlocked } = this.#outbox
    const liveness = this.#liveness
    liveness.busy = isBusy
    liveness.spent = isSpent
    liveness.unreadSinceMs = isBlocked ? (liveness.unreadSinceMs ?? this.#monotonicMs()) : undefined
    this.#setPaused(isBlocked || mustPause || this.#isTooFast())
  }

  /** The last event for the client; the close comes with close(). Nothing is taken or sent in between. */
  sendLast(event: StreamEvent): void {
    if (!this.#isOpen) return
    this.#outbox.sendLast(event)
    this.#intake = 'last_sent'
    // The client's close must be read, or the connection would stay open until its timeout.
    this.#socket.resume()
  }

  /** Our close, or our answer to the client's when it closed first. */
  close(frame: CloseFrame | undefined): void {
    clearTimeout(this.#paceTimer)
    if (frame && this.#intake !== 'left') this.#socket.sendClose(frame)
    else this.#socket.answerClose()
  }

  terminate(): void {
    this.#socket.terminate()
  }

  onMessage(bytes: Buffer, isBinary: boolean): void {
    noteFrame(this.#liveness, this.#monotonicMs())
    this.#pace.take(isBinary ? 1 : ANSWERED_MESSAGE_COST)
    this.#put({ type: 'message', bytes, isBinary })
  }

  /**
   * A client that pings without reading would fill our memory with pongs; one that reads again is answered again. Not every ping of many
   * needs a pong (RFC 6455, 5.5.3).
   */
  onPing(data: Buffer): void {
    noteFrame(this.#liveness, this.#monotonicMs())
    this.#pace.take(1)
    if (this.#pace.waitMs > 0) this.inbox.putSignal({ type: 'drained' })
    else if (this.#isOpen && this.#socket.bufferedAmount < UNSENT_HIGH_BYTES) this.#socket.pong(data)
  }

  onPong(): void {
    this.#liveness.unansweredPings = 0
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

  /** If so, the client is read again by itself when its time has come. */
  #isTooFast(): boolean {
    const { waitMs } = this.#pace
    if (waitMs > 0) {
      this.#paceTimer ??= setTimeout(() => {
        this.#paceTimer = undefined
        this.inbox.putSignal({ type: 'drained' })
      }, Math.ceil(waitMs))
    }
    return waitMs > 0
  }

  /** Holds back what was read already and reads no more. Once the client has left there is nothing to hold back from it. */
  #setPaused(paused: boolean): void {
    if (!this.#isOpen || paused === this.isPaused) return
    this.#intake = paused ? 'paused' : 'reading'
    this.#liveness.paused = paused
    if (paused) {
      this.inbox.hold()
      this.#socket.pause()
    } else {
      noteFrame(this.#liveness, this.#monotonicMs())
      this.inbox.release()
      this.#socket.resume()
    }
  }

  #leave(departure: Departure): void {
    if (!this.#isOpen) return
    this.#intake = 'left'
    this.inbox.putFrame({ type: 'left', departure })
    this.inbox.release()
  }

  #put(frame: Frame): void {
    if (this.#isOpen) this.inbox.putFrame(frame)
  }
}
