// Step 3, one connection from its handshake to its settlement: everything that happens to it is handled in one place, one catch turns
// whatever ends it into an `error` and a close, and its session is settled before that close.

import { ServiceError } from '@sauti/protocol/errors'
import type { RecogniserStream } from '../../recogniser/port.ts'
import type { OpenSession } from '../../sessions/redeem.ts'
import { Opening, readyEvent } from '../conversation/opening.ts'
import type { Stage, StageRequest } from '../conversation/stage.ts'
import type { Dialect } from '../dialect.ts'
import { asFailure } from '../failure.ts'
import { LAST_ANSWERS_MS } from '../settings.ts'
import type { Liveness, Watched } from '../socket/keepalive.ts'
import { type Frame, Link, type Signal, type StopReason } from '../socket/link.ts'
import { ClientRequests } from './client-requests.ts'
import { type CloseCause, closeCauseOf, tellAndSettle } from './closing.ts'
import { type ConnectionState, type FinishReason, transition } from './connection-state.ts'
import { createEngineListener } from './engine-listener.ts'
import { openConversation } from './open-conversation.ts'
import type { ConnectionParts, Handshake } from './parts.ts'
import { SessionUse } from './session-use.ts'

export class Connection implements Watched {
  readonly #parts: ConnectionParts
  readonly #onOver: (connection: Connection) => void
  readonly #dialect: Dialect
  readonly #use: SessionUse
  readonly #link: Link
  readonly #requests: ClientRequests
  /** Resolves when the session is known or refused. */
  readonly #opened: Promise<void>
  #state: ConnectionState = { name: 'opening' }
  #stage: Stage
  /** When it closes whatever is still owed. */
  #deadline: NodeJS.Timeout | undefined

  /** `onOver`: the session, if there is one, was handed over for settlement and the socket was closed. */
  constructor(
    { socket, requestId, dialect, credit }: Handshake,
    parts: ConnectionParts,
    onOver: (connection: Connection) => void,
  ) {
    const { settings, monotonicMs, recogniser } = parts
    this.#parts = parts
    this.#onOver = onOver
    this.#dialect = dialect
    const put = (signal: Signal) => this.#link.inbox.putSignal(signal)
    const onExtension = () => put({ type: 'extended' })
    this.#use = new SessionUse({ requestId, credit, onExtension }, parts)
    this.#link = new Link({
      socket,
      dialect,
      maxUnsentBytes: settings.maxUnsentBytes,
      monotonicMs,
      handle: input => this.#take(input),
    })
    this.#requests = this.#readRequests()
    const opening = new Opening({
      credit,
      dialect,
      recogniser,
      maxEarlyAudioMs: settings.maxQueuedAudioMs,
      onSession: session => this.#begin(session),
      put,
      send: reply => this.#link.send(reply),
    })
    this.#stage = opening
    for (const text of dialect.greeting) this.#tell(text)
    this.#opened = opening.start()
    parts.keepalive.watch(this)
  }

  get liveness(): Readonly<Liveness> {
    return this.#link.liveness
  }

  get sessionId(): string | undefined {
    return this.#use.session?.sessionId
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

  /** Ends it without waiting for the answers that are still due. */
  endAtOnce(): void {
    this.#link.inbox.putSignal({ type: 'failed', error: new ServiceError('server_restarting') })
  }

  /** Synchronous, from the frame to the recogniser and from its event to the wire: 100 ms of audio must not cost a promise. */
  #take(input: Frame | Signal): void {
    if (this.#isIn('closed')) return
    try {
      this.#handle(input)
      this.#adjust()
    } catch (error) {
      this.#close(asFailure(error))
    }
  }

  #handle(input: Frame | Signal): void {
    switch (input.type) {
      case 'message':
        this.#requests.frame(input.bytes, input.isBinary)
        break
      case 'broken':
        if (this.#isListening) throw input.error
        break
      case 'left':
        this.#close(input.departure)
        break
      case 'opened':
        this.#ready(input.recogniser, input.early)
        break
      case 'recogniser':
        this.#stage.event(input.event)
        break
      case 'voice':
        this.#requests.voice(input.likelihoods)
        break
      case 'decoded':
        this.#requests.decoded(input.samples)
        break
      case 'stop':
        this.#stop(input.reason)
        break
      case 'failed':
        throw input.error
      case 'extended':
        this.#allowTime()
        break
      case 'drained':
        break
    }
  }

  #readRequests(): ClientRequests {
    return new ClientRequests({
      dialect: this.#dialect,
      stage: () => this.#stage,
      isListening: () => this.#isListening,
      isStreaming: () => this.#isIn('streaming'),
      tell: text => this.#tell(text),
      warn: ({ code, message }) =>
        this.#link.send({ type: 'error', message, code, fatal: false, session_id: this.sessionId ?? null }),
      finish: reason => this.#finish(reason),
    })
  }

  #tell(text: string): void {
    this.#link.send({ type: 'reply', write: () => text })
  }

  #begin(session: OpenSession): void {
    this.#use.begin(session)
    this.#allowTime()
    this.#link.send({ type: 'status', message: 'Preparing the recogniser.' })
  }

  /** How long the connection may stay open follows from what is reserved. */
  #allowTime(): void {
    const { sessionTimeFactor, sessionTimeExtraMs } = this.#parts.settings
    this.#link.allow(sessionTimeFactor * this.#use.meter.reservedMs + sessionTimeExtraMs)
  }

  #ready(recogniser: RecogniserStream, early: readonly StageRequest[]): void {
    const session = this.#use.session!
    const listener = createEngineListener(signal => this.#link.inbox.putSignal(signal))
    this.#state = transition(this.#state, { name: 'streaming' })
    this.#stage = openConversation(this.#parts, {
      session,
      recogniser,
      listener,
      meter: this.#use.meter,
      send: item => this.#link.send(item),
    })
    recogniser.listen(listener)
    this.#link.send(readyEvent(session))
    this.#requests.early(early)
  }

  #stop(reason: StopReason): void {
    if (reason === 'client_vanished') this.#link.terminate()
    else if (reason === 'audio_limit_reached' || reason === 'server_restarting') this.#finish(reason)
    else throw new ServiceError(reason)
  }

  /** Flushes once more and answers everything that is owed; then comes the close. Nothing is owed before `ready`. */
  #finish(reason: FinishReason): void {
    if (this.#isIn('finishing')) return
    if (this.#isIn('opening')) {
      this.#close(closeCauseOf(reason))
      return
    }
    this.#state = transition(this.#state, { name: 'finishing', reason })
    this.#stage.finish(reason)
    if (reason === 'too_many_invalid_messages') this.#finishSoon()
  }

  /** Whoever broke the protocol gets what was accepted before that, and does not hold its slot for long. */
  #finishSoon(): void {
    const late = { type: 'failed', error: new ServiceError('too_many_invalid_messages') } as const
    this.#deadline = setTimeout(() => this.#link.inbox.putSignal(late), LAST_ANSWERS_MS)
  }

  /** After everything that happened. */
  #adjust(): void {
    if (this.#state.name === 'closed') return
    if (this.#state.name === 'finishing' && !this.#stage.isBusy) {
      this.#close(closeCauseOf(this.#state.reason))
      return
    }
    this.#use.extendIfLow()
    this.#link.report({
      mustPause: this.#use.isAwaitingCredit || this.#stage.isFull(this.#link.isPaused),
      isBusy: this.#stage.isBusy,
      isSpent: this.#use.isSpent,
    })
  }

  /** Every ending goes through here, whichever side began it. */
  #close(cause: CloseCause): void {
    this.#state = transition(this.#state, { name: 'closed' })
    clearTimeout(this.#deadline)
    this.#stage.close()
    this.#parts.keepalive.unwatch(this)
    const closing = { opened: this.#opened, use: this.#use, link: this.#link, dialect: this.#dialect }
    void tellAndSettle(cause, closing).then(() => this.#onOver(this))
  }

  get #isListening(): boolean {
    return (this.#isIn('opening') || this.#isIn('streaming')) && this.#stage.takesMore
  }

  #isIn(name: ConnectionState['name']): boolean {
    return this.#state.name === name
  }
}
