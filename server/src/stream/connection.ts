// Step 3, one connection from its handshake to its settlement: everything that happens to it is taken in one place, one catch
// turns whatever ends it into an `error` and a close, and one place settles its session.

import { ServiceError } from '@sauti/protocol/errors'
import { type ClientRequest, MAX_TEXT_BYTES, parseClientMessage } from '@sauti/protocol/stream'
import type { Logger } from 'pino'
import type { Recogniser, RecogniserStream } from '../recogniser/port.ts'
import { assessAudio, type StreamEnding } from '../sessions/lifecycle.ts'
import type { OpenSession } from '../sessions/redeem.ts'
import { Conversation } from './conversation.ts'
import { endsWithin } from './drain.ts'
import { asFailure, endingOf } from './failure.ts'
import type { Keepalive, Liveness, Watched } from './keepalive.ts'
import { type Frame, isFrame, Link, type Signal, type StopReason } from './link.ts'
import { Meter } from './meter.ts'
import type { StreamMetrics } from './metrics.ts'
import { modelOf, open, readyEvent } from './opening.ts'
import { CLOSE_PATIENCE_MS, MAX_EARLY_MESSAGES, type StreamSettings } from './settings.ts'
import type { StreamSocket } from './socket.ts'
import { Warnings } from './warnings.ts'

export interface ConnectionParts {
  /** Of the handshake, for the log. */
  readonly requestId: string
  readonly redeem: () => Promise<OpenSession>
  readonly recogniser: Recogniser
  readonly keepalive: Keepalive
  readonly metrics: StreamMetrics
  readonly settings: StreamSettings
  readonly monotonicMs: () => number
  readonly log: Logger
  /** Takes over the end of a session: from here on it is settled whatever happens. Resolves when it is. */
  readonly settle: (sessionId: string, ending: StreamEnding, acceptedSamples: number) => Promise<void>
}

export class Connection implements Watched {
  readonly #parts: ConnectionParts
  readonly #link: Link
  readonly #warnings: Warnings
  readonly #over = new AbortController()
  /** What the client asked for before ready. */
  readonly #early: ClientRequest[] = []
  #session: OpenSession | undefined
  #meter = new Meter(0)
  #conversation: Conversation | undefined
  #isOver = false
  #end: (ending: StreamEnding) => void = () => undefined

  constructor(socket: StreamSocket, parts: ConnectionParts) {
    this.#parts = parts
    this.#link = new Link({
      socket,
      maxUnsentBytes: parts.settings.maxUnsentBytes,
      monotonicMs: parts.monotonicMs,
      handle: input => this.#take(input),
    })
    this.#warnings = new Warnings(({ code, message }) =>
      this.#link.send({ type: 'error', message, code, fatal: false, session_id: this.sessionId ?? null }),
    )
  }

  get liveness(): Liveness {
    return this.#link.liveness
  }

  get sessionId(): string | undefined {
    return this.#session?.sessionId
  }

  get queuedSamples(): number {
    return this.#conversation?.queuedSamples ?? 0
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

  /** Resolves when the session, if there is one, was handed over for settlement and the client was let go. Never rejects. */
  async run(): Promise<void> {
    const { redeem, recogniser, keepalive } = this.#parts
    const onSession = (session: OpenSession) => this.#begin(session)
    const put = (signal: Signal) => this.#link.inbox.putSignal(signal)
    const ended = new Promise<StreamEnding>(resolve => {
      this.#end = resolve
    })
    const opened = open({ redeem, recogniser, onSession, put, over: this.#over.signal })
    keepalive.watch(this)
    const ending = await ended
    this.#over.abort()
    keepalive.unwatch(this)
    const settled = opened.then(() => this.#settle(ending))
    // A client that has seen the close finds its session settled, and its slot free.
    await endsWithin(settled, CLOSE_PATIENCE_MS)
    this.#link.hangUp()
    await opened
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

  #finish(ending: StreamEnding): void {
    this.#isOver = true
    this.#end(ending)
  }

  #handle(input: Frame | Signal): void {
    if (this.#conversation?.isFinishing && isFrame(input) && input.type !== 'closed') return
    switch (input.type) {
      case 'audio':
        this.#audio(input.bytes)
        break
      case 'text':
        this.#text(input.bytes)
        break
      case 'closed':
        this.#finish(input.departure)
        break
      case 'opened':
        this.#ready(input.recogniser)
        break
      case 'recogniser':
        this.#conversation?.event(input.event)
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
    this.#session = session
    this.#meter = new Meter(session.reservedMs)
    const { sessionTimeFactor, sessionTimeExtraMs } = this.#parts.settings
    this.liveness.wallClockMs = sessionTimeFactor * session.reservedMs + sessionTimeExtraMs
    this.#link.send({ type: 'status', message: 'Preparing the recogniser.' })
  }

  #ready(recogniser: RecogniserStream): void {
    const model = modelOf(this.#session!)
    this.#conversation = new Conversation({
      model,
      lookAheads: this.#parts.recogniser.lookAheads(this.#session!.model),
      recogniser,
      meter: this.#meter,
      metrics: this.#parts.metrics,
      maxQueuedAudioMs: this.#parts.settings.maxQueuedAudioMs,
      monotonicMs: this.#parts.monotonicMs,
      send: event => this.#link.send(event),
    })
    this.#link.send(readyEvent(this.#session!))
    for (const request of this.#early.splice(0)) this.#attempt(() => this.#request(request))
  }

  #audio(bytes: Buffer): void {
    if (bytes.length === 0) return
    if (this.#conversation) this.#conversation.audio(bytes)
    else this.#warnings.note(new ServiceError('audio_before_ready'))
  }

  #text(bytes: Buffer): void {
    if (bytes.length > MAX_TEXT_BYTES) throw new ServiceError('message_too_large')
    this.#attempt(() => this.#request(parseClientMessage(bytes.toString())))
  }

  #request(request: ClientRequest): void {
    if (this.#conversation) this.#conversation.request(request)
    else this.#early.push(request)
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
    else if (lastWordsFirst && this.#conversation) this.#conversation.finish(reason)
    else throw new ServiceError(reason)
  }

  /** Reads the client slower, or again, and notes what the next sweep must know. */
  #balance(): void {
    const { liveness, isBlocked } = this.#link
    const isFull = this.#conversation?.isFull(liveness.paused) ?? this.#early.length >= MAX_EARLY_MESSAGES
    this.#link.setPaused(isBlocked || isFull)
    liveness.busy = this.#conversation?.isBusy ?? true
    liveness.spent = this.#conversation !== undefined && this.#meter.roomSamples === 0
    liveness.unreadSinceMs = isBlocked ? (liveness.unreadSinceMs ?? this.#parts.monotonicMs()) : undefined
  }

  #fail(error: unknown): StreamEnding {
    const failure = asFailure(error)
    if (failure.code === 'internal_error') {
      this.#parts.log.error(
        { reqId: this.#parts.requestId, sessionId: this.sessionId, err: failure.cause },
        'a stream failed',
      )
    }
    this.#link.dismiss(failure, this.sessionId ?? null)
    if (!this.#session) this.#parts.metrics.countRefusal(failure.code)
    return endingOf(failure)
  }

  #settle(ending: StreamEnding): Promise<void> | undefined {
    const { requestId, metrics, log, settle } = this.#parts
    if (!this.#session) return undefined
    const { acceptedSamples } = this.#meter
    metrics.countEnding(ending)
    log.info(
      { reqId: requestId, sessionId: this.sessionId, ending, ...assessAudio(ending, acceptedSamples) },
      'session ended',
    )
    return settle(this.#session.sessionId, ending, acceptedSamples)
  }
}
