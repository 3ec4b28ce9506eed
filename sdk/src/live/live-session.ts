// The live half: audio and questions go out in order, events and answers come back, and whatever ends the session rejects
// everything that still waits, with the reason.

import {
  LEFT_CONTEXT_FRAMES,
  type LookAhead,
  type SampleRateHz,
  type StreamEncoding,
} from '@sauti/protocol/audio'
import type {
  ClientMessage,
  ConfigAckEvent,
  FinalEvent,
  ReadyEvent,
  ResetAckEvent,
  ServerEvent,
} from '@sauti/protocol/stream'
import { type Pcm, pcmBytes } from '../audio/pcm.ts'
import { createDeferred } from '../deferred.ts'
import { SautiStreamError } from '../errors.ts'
import { Connection, type LiveSessionGrant } from './connection.ts'
import { EventHub } from './event-hub.ts'
import { Outbox } from './outbox.ts'
import { Patience } from './patience.ts'
import { type AnswerType, Replies } from './replies.ts'
import type { Connect } from './socket.ts'

export interface LiveSessionOptions {
  /** Opens the WebSocket. Node 20 has none: `connect: (url, protocols) => new WebSocket(url, protocols)` with `ws`. */
  readonly connect?: Connect
  /** From opening the connection to `ready`. */
  readonly readyTimeoutMs?: number
  /** How long an answer may be overdue, or the network take nothing, before the connection counts as lost. */
  readonly silenceTimeoutMs?: number
  /** Ends the session at once. */
  readonly signal?: AbortSignal
}

export interface LiveSettings {
  /** The language of the session's model, by code or name. */
  readonly language?: string
  /** Encoder frames of 80 ms that are heard before a word is written: fewer frames answer sooner and make more errors. */
  readonly lookAhead?: LookAhead
  /** What the speaker is likely to say. */
  readonly phrases?: readonly string[]
  /** The service ends an utterance when words are followed by this much silence (200 to 5,000 ms); `false` leaves that to flush(). */
  readonly endpointing?: { readonly silenceMs: number } | false
  /** The format of what is sent from now on. Opus: one packet per send(). */
  readonly audio?: { readonly encoding: StreamEncoding; readonly sampleRateHz: SampleRateHz }
}

const READY_TIMEOUT_MS = 30_000
const SILENCE_TIMEOUT_MS = 20_000
const WATCH_INTERVAL_MS = 1_000

/** Opens the session of a relayed session response. Audio may be sent at once: what comes before `ready` is kept and sent after it. */
export function openLiveSession(grant: LiveSessionGrant, options: LiveSessionOptions = {}): LiveSession {
  return new LiveSession(grant, options)
}

export class LiveSession implements AsyncIterable<ServerEvent> {
  readonly id: string
  /** Resolves when audio is accepted; rejects when the session could not begin. */
  readonly ready: Promise<ReadyEvent>
  /** Resolves when the session has ended at the request of the caller; rejects with the reason of any other end. */
  readonly closed: Promise<void>
  readonly #connection: Connection
  readonly #outbox: Outbox
  readonly #replies = new Replies()
  readonly #patience: Patience
  readonly #ready = createDeferred<ReadyEvent>()
  readonly #closed = createDeferred<void>()
  readonly #hub = new EventHub<ServerEvent>()
  readonly #stopWatching: () => void
  /** Audio was sent since the last flush or reset. */
  #underWay = false
  #language: string | undefined
  /** The service ends utterances by itself, so it is not known here whether one is in progress. */
  #hasEndpointing = false
  #closing = false
  #end: { readonly failure: SautiStreamError | undefined } | undefined

  constructor(grant: LiveSessionGrant, options: LiveSessionOptions) {
    this.id = grant.id
    this.ready = this.#ready.promise
    this.closed = this.#closed.promise
    this.#patience = new Patience(options.silenceTimeoutMs ?? SILENCE_TIMEOUT_MS, () => performance.now())
    this.#connection = new Connection(grant, options.connect, {
      onEvent: event => this.#receive(event),
      onEnd: failure => this.#ended(failure),
    })
    this.#outbox = new Outbox(this.#connection, audioBytes => this.#patience.sent(audioBytes))
    this.#stopWatching = this.#watch(options)
  }

  /**
   * Mono 16 kHz PCM16, or what `audio` of configure() names. The promise is the back-pressure: it resolves when the network has taken the
   * audio.
   */
  send(pcm: Pcm): Promise<void> {
    this.#underWay = true
    return this.#put(pcmBytes(pcm))
  }

  /** Ends the utterance; resolves with its `final`. The next audio begins the next utterance. */
  flush(): Promise<FinalEvent> {
    this.#underWay = false
    return this.#ask('final', { type: 'flush' })
  }

  /** Drops the unfinished utterance. */
  reset(): Promise<ResetAckEvent> {
    this.#underWay = false
    return this.#ask('reset_ack', { type: 'reset' })
  }

  /** Changes settings between utterances; resolves with those in force, rejects where they are refused. */
  async configure({
    language,
    lookAhead,
    phrases,
    endpointing,
    audio,
  }: LiveSettings): Promise<ConfigAckEvent> {
    const contexts = [
      ...(lookAhead === undefined ? [] : [[LEFT_CONTEXT_FRAMES, lookAhead] as const]),
      ...(phrases ? [phrases] : []),
    ]
    if (endpointing !== undefined) this.#hasEndpointing = endpointing !== false
    const config = {
      type: 'config',
      ...(language === undefined ? {} : { language }),
      ...(endpointing === undefined
        ? {}
        : { endpointing: endpointing && { silence_ms: endpointing.silenceMs } }),
      ...(audio && { audio: { encoding: audio.encoding, sample_rate_hz: audio.sampleRateHz } }),
    } as const
    // One message carries one kind of context, so both kinds take two messages.
    const messages = contexts.length > 0 ? contexts.map(context => ({ ...config, context })) : [config]
    const answers = await Promise.all(messages.map(message => this.#ask('config_ack', message)))
    return answers.at(-1)!
  }

  /** Lets everything that was asked before it finish, then ends the session; resolves when it is settled. */
  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      await Promise.allSettled([this.#outbox.lastTaken, ...this.#replies.pending])
      this.#connection.hangUp()
    }
    return this.closed
  }

  /** Calls the listener with every event of a type, until the returned function is called. */
  on<T extends ServerEvent['type']>(
    type: T,
    listener: (event: Extract<ServerEvent, { type: T }>) => void,
  ): () => void {
    return this.#hub.on(type, listener)
  }

  /** Every event from now on; ends with the session, and throws the error that ended it. */
  [Symbol.asyncIterator](): AsyncIterableIterator<ServerEvent> {
    return this.#hub.iterate()
  }

  #put(content: string | Uint8Array<ArrayBuffer>): Promise<void> {
    if (!this.#closing && !this.#end) return this.#outbox.put(content)
    const refused = createDeferred<void>()
    refused.reject(this.#end?.failure ?? this.#closedByCaller())
    return refused.promise
  }

  #ask<T extends AnswerType>(type: T, message: ClientMessage, isProbe = false) {
    const dueMs = this.#put(JSON.stringify(message)).then(() => this.#patience.dueMs())
    return this.#replies.expect(type, dueMs, isProbe)
  }

  #receive(event: ServerEvent): void {
    this.#patience.heard()
    if (event.type === 'ready') {
      this.#language = event.language
      this.#ready.resolve(event)
      this.#outbox.start()
    }
    if (!this.#replies.receive(event)) this.#hub.emit(event)
  }

  #ended(failure: SautiStreamError | undefined): void {
    this.#end = { failure }
    this.#stopWatching()
    const reason = failure ?? this.#closedByCaller()
    this.#ready.reject(reason)
    this.#outbox.fail(reason)
    this.#replies.fail(reason)
    this.#hub.end(failure)
    if (failure) this.#closed.reject(failure)
    else this.#closed.resolve()
  }

  #closedByCaller(): SautiStreamError {
    return new SautiStreamError('closed_by_caller', 'The session was closed.', { sessionId: this.id })
  }

  /** Ends the session when it is not ready in time, when the network is silent for too long, or on the caller's signal. */
  #watch({ signal, readyTimeoutMs = READY_TIMEOUT_MS }: LiveSessionOptions): () => void {
    const late = () => this.#connection.fail('ready_timeout', 'The session did not become ready in time.')
    const readyTimer = setTimeout(late, readyTimeoutMs)
    const watchTimer = setInterval(() => this.#look(), WATCH_INTERVAL_MS)
    const abort = () => this.#connection.fail('closed_by_caller', 'The session was aborted.', signal?.reason)
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) queueMicrotask(abort)
    this.ready.then(
      () => clearTimeout(readyTimer),
      () => clearTimeout(readyTimer),
    )
    return () => {
      clearInterval(watchTimer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #look(): void {
    const { bufferedAmount } = this.#connection
    const isWaiting = this.#replies.waiting
    this.#patience.observe(bufferedAmount, isWaiting)
    const isOverdue = bufferedAmount > 0 || this.#replies.isOverdue(performance.now())
    if (isOverdue && this.#patience.isExhausted) {
      this.#connection.fail('network_lost', 'The service has not answered for too long.')
    } else if (this.#patience.wantsProbe && !isWaiting && !this.#closing) {
      this.#probe()
    }
  }

  /** A question that changes nothing. A bare `config` would put the defaults back, but only between utterances. */
  #probe(): void {
    const mayBeBare = this.#underWay && !this.#hasEndpointing
    const sameAsBefore = mayBeBare || !this.#language ? {} : { language: this.#language }
    void this.#ask('config_ack', { type: 'config', ...sameAsBefore }, true)
  }
}
