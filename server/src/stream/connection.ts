// Step 3, one connection from its handshake to its settlement: everything that happens to it is taken in one place, one catch
// turns whatever ends it into an `error` and a close, and its session is settled before that close.

import { ServiceError } from '@sauti/protocol/errors'
import { type ClientRequest, MAX_TEXT_BYTES, parseClientMessage } from '@sauti/protocol/stream'
import type { Recogniser, RecogniserEvent, RecogniserListener, RecogniserStream } from '../recogniser/port.ts'
import type { StreamEnding } from '../sessions/lifecycle.ts'
import type { OpenSession } from '../sessions/redeem.ts'
import { Conversation } from './conversation.ts'
import { endsWithin } from './drain.ts'
import { asFailure } from './failure.ts'
import type { Keepalive, Liveness, Watched } from './keepalive.ts'
import { type Frame, isFrame, Link, type Signal, type StopReason } from './link.ts'
import { modelOf, Opening, readyEvent } from './opening.ts'
import { CLOSE_PATIENCE_MS, type StreamSettings } from './settings.ts'
import type { StreamSocket } from './socket.ts'
import type { Stage } from './stage.ts'
import { Stay, type StayParts } from './stay.ts'
import { Warnings } from './warnings.ts'

/** What all connections of a node share. */
export interface ConnectionParts extends StayParts {
  readonly recogniser: Recogniser
  readonly keepalive: Keepalive
  readonly settings: StreamSettings
  readonly monotonicMs: () => number
  /** The session, if there is one, was handed over for settlement and the client was let go. */
  readonly onOver: (connection: Connection) => void
}

/** The handshake that a connection begins with. */
export interface Handshake {
  readonly socket: StreamSocket
  /** For the log. */
  readonly requestId: string
  readonly redeem: () => Promise<OpenSession>
}

export class Connection implements Watched, RecogniserListener {
  readonly #parts: ConnectionParts
  readonly #stay: Stay
  readonly #link: Link
  readonly #warnings: Warnings
  /** Resolves when the session is known or refused. */
  readonly #opened: Promise<void>
  #stage: Stage
  #isOver = false

  constructor({ socket, requestId, redeem }: Handshake, parts: ConnectionParts) {
    this.#parts = parts
    this.#stay = new Stay(requestId, parts)
    this.#link = new Link({
      socket,
      maxUnsentBytes: parts.settings.maxUnsentBytes,
      monotonicMs: parts.monotonicMs,
      handle: input => this.#take(input),
    })
    this.#warnings = new Warnings(({ code, message }) =>
      this.#link.send({ type: 'error', message, code, fatal: false, session_id: this.sessionId ?? null }),
    )
    const opening = new Opening({
      redeem,
      recogniser: parts.recogniser,
      onSession: session => this.#begin(session),
      put: signal => this.#link.inbox.putSignal(signal),
    })
    this.#stage = opening
    this.#opened = opening.start()
    parts.keepalive.watch(this)
  }

  get liveness(): Liveness {
    return this.#link.liveness
  }

  get sessionId(): string | undefined {
    return this.#stay.session?.sessionId
  }

  get queuedSamples(): number {
    return this.#stage.queuedSamples
  }

  ping(): void {
    this.#link.ping()
  }

  end(reason: StopReason): void {
    this.#link.inbox.putSignal({ type: 'stop', reason })
  }

  /** Ends it without waiting for last words. */
  cut(): void {
    this.#link.inbox.putSignal({ type: 'failed', error: new ServiceError('server_restarting') })
  }

  onEvent(event: RecogniserEvent): void {
    this.#link.inbox.putSignal({ type: 'recogniser', event })
  }

  onLost(error: Error): void {
    this.#link.inbox.putSignal({ type: 'failed', error })
  }

  /** Synchronous, from the frame to the recogniser and from its event to the wire: 100 ms of audio must not cost a promise. */
  #take(input: Frame | Signal): void {
    if (this.#isOver) return
    try {
      this.#handle(input)
      this.#balance()
    } catch (error) {
      this.#finish(this.#fail(error))
    }
  }

  #handle(input: Frame | Signal): void {
    if (this.#stage.isFinishing && isFrame(input) && input.type !== 'closed') return
    switch (input.type) {
      case 'audio':
        if (input.bytes.length > 0) this.#attempt(() => this.#stage.audio(input.bytes))
        break
      case 'text':
        this.#text(input.bytes)
        break
      case 'closed':
        this.#finish(input.departure)
        break
      case 'opened':
        this.#ready(input.recogniser, input.early)
        break
      case 'recogniser':
        this.#stage.event(input.event)
        break
      case 'stop':
        this.#stop(input.reason)
        break
      case 'drained':
        break
      case 'broken':
      case 'failed':
        throw input.error
    }
  }

  #begin(session: OpenSession): void {
    this.#stay.begin(session)
    const { sessionTimeFactor, sessionTimeExtraMs } = this.#parts.settings
    this.liveness.wallClockMs = sessionTimeFactor * session.reservedMs + sessionTimeExtraMs
    this.#link.send({ type: 'status', message: 'Preparing the recogniser.' })
  }

  #ready(recogniser: RecogniserStream, early: readonly ClientRequest[]): void {
    const session = this.#stay.session!
    this.#stage = new Conversation({
      model: modelOf(session),
      lookAheads: this.#parts.recogniser.lookAheads(session.model),
      recogniser,
      meter: this.#stay.meter,
      metrics: this.#parts.metrics,
      maxQueuedAudioMs: this.#parts.settings.maxQueuedAudioMs,
      monotonicMs: this.#parts.monotonicMs,
      send: event => this.#link.send(event),
    })
    recogniser.events.listen(this)
    this.#link.send(readyEvent(session))
    for (const request of early) this.#attempt(() => this.#stage.request(request))
  }

  #text(bytes: Buffer): void {
    if (bytes.length > MAX_TEXT_BYTES) throw new ServiceError('message_too_large')
    this.#attempt(() => this.#stage.request(parseClientMessage(bytes.toString())))
  }

  #attempt(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#warnings.note(error)
    }
  }

  #stop(reason: StopReason): void {
    const lastWordsFirst = reason === 'audio_limit_reached' || reason === 'server_restarting'
    if (reason === 'client_vanished') this.#link.terminate()
    else if (lastWordsFirst) this.#stage.finish(reason)
    else throw new ServiceError(reason)
  }

  /** Reads the client slower, or again, and notes what the next sweep must know. */
  #balance(): void {
    const { liveness, isBlocked } = this.#link
    this.#link.setPaused(isBlocked || this.#stage.isFull(liveness.paused))
    liveness.busy = this.#stage.isBusy
    liveness.spent = this.#stage.isSpent
    liveness.unreadSinceMs = isBlocked ? (liveness.unreadSinceMs ?? this.#parts.monotonicMs()) : undefined
  }

  #fail(error: unknown): StreamEnding {
    const failure = asFailure(error)
    this.#link.dismiss(failure, this.sessionId ?? null)
    return this.#stay.noteFailure(failure)
  }

  #finish(ending: StreamEnding): void {
    this.#isOver = true
    this.#stage.close()
    this.#parts.keepalive.unwatch(this)
    void this.#letGo(ending)
  }

  /** A client that has seen the close finds its session settled, and its slot free. Never rejects. */
  async #letGo(ending: StreamEnding): Promise<void> {
    const settled = this.#opened.then(() => this.#stay.settle(ending))
    await endsWithin(settled, CLOSE_PATIENCE_MS)
    this.#link.hangUp()
    await this.#opened
    this.#parts.onOver(this)
  }
}
