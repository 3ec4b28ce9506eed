// A stream of any length over any network: as many sessions as it takes, one after the other. Text counts only when its `final`
// has come: after any break the audio is sent again from the last one, so no word is lost and none is repeated.

import { MAX_AUDIO_SECONDS, SAMPLE_RATE_HZ, SAMPLES_PER_MS, samplesToMs } from '@sauti/protocol/audio'
import type { Pcm } from '../audio/pcm.ts'
import { createDeferred, type Deferred } from '../deferred.ts'
import { SautiError } from '../errors.ts'
import { EventHub } from '../live/event-hub.ts'
import type { LiveSessionOptions, LiveSettings } from '../live/live-session.ts'
import type { SautiClient } from '../server/client.ts'
import { waitMs } from '../wait.ts'
import { Bill, type Billing, type ReadUsage } from './bill.ts'
import type { ContinuousEvent, ContinuousFinal } from './events.ts'
import { isPassing, retryWaitMs } from './passing-failures.ts'
import { SampleReader } from './sample-reader.ts'
import { SessionSlots } from './session-slots.ts'
import { type CreateSession, type SessionGrant, SessionSource, type SessionWish } from './session-source.ts'
import { LEAST_REST, speakSession } from './spoken-session.ts'
import { type ContinuousState, changeState } from './state.ts'
import { Tape } from './tape.ts'

export interface ContinuousStreamOptions extends LiveSessionOptions {
  readonly model: string
  /** On a server: the client that creates the sessions and knows their price. */
  readonly client?: SautiClient
  /** In a browser, where no key may be: asks your own server for a session. */
  readonly createSession?: CreateSession
  readonly settings?: LiveSettings
  /** A recording rather than speech as it is spoken: cuts are chosen with a longer look ahead. */
  readonly isRecording?: boolean
  /**
   * Ends an utterance when speech is followed by this much silence, judged by the level of the sound; 200 to 5,000. Where there is noise, the
   * service's own `settings.endpointing` is more reliable.
   */
  readonly silenceMs?: number
  /** How long the audio is, where that is known: the last session then reserves no more than is left. */
  readonly durationMs?: number
  /** The longest session to ask for; 300 by default. */
  readonly sessionSeconds?: number
  /** How long it keeps trying without progress; 300,000 by default. */
  readonly patienceMs?: number
  /** Shared by the streams of one account, so that they wait for each other where it may have few sessions open. */
  readonly slots?: SessionSlots
}

export interface ContinuousSummary extends Billing {
  readonly audio_ms: number
}

const PATIENCE_MS = 300_000
const LONGEST_UTTERANCE_SECONDS = { recording: 60, live: 30 }
/** Every session has room for at least two utterances, so that a session is not abandoned because a little room is missing. */
const UTTERANCES_IN_A_SESSION = 2
const HOLD_BACK_SAMPLES = { recording: 24 * SAMPLE_RATE_HZ, live: 0.3 * SAMPLE_RATE_HZ }
/** How much audio without text is kept, for instance during a network outage. */
const MAX_HELD_SECONDS = 900

/** Opens nothing yet: the first session is reserved when the first audio comes. */
export function openContinuousStream(options: ContinuousStreamOptions): ContinuousStream {
  return new ContinuousStream(options)
}

export class ContinuousStream implements AsyncIterable<ContinuousEvent> {
  /** Resolves when all text has come; rejects with the error that ended the stream. */
  readonly closed: Promise<ContinuousSummary>
  readonly #options: ContinuousStreamOptions
  readonly #tape = new Tape()
  readonly #samples = new SampleReader()
  readonly #hub = new EventHub<ContinuousEvent>()
  readonly #closed = createDeferred<ContinuousSummary>()
  readonly #over = new AbortController()
  readonly #source: SessionSource
  readonly #bill: Bill
  #flushes: { readonly end: number; readonly done: Deferred<void> }[] = []
  #state: ContinuousState = 'idle'
  #finishing = false
  /** Up to this sample everything has its text. */
  #confirmed = 0

  constructor(options: ContinuousStreamOptions) {
    this.#options = options
    this.closed = this.#closed.promise
    const { create, usage } = howToPay(options)
    this.#source = new SessionSource(create, options.slots ?? new SessionSlots(), this.#over.signal)
    this.#bill = new Bill(usage)
    this.#followSignal(options.signal)
    void this.#run().then(
      () => this.#end(undefined),
      (failure: unknown) => this.#end(failure),
    )
  }

  get state(): ContinuousState {
    return this.#state
  }

  /** What was billed so far. */
  get billing(): Billing {
    return this.#bill.total
  }

  /** Mono 16 kHz PCM16. The promise is the back-pressure: speech may ignore it, a recording should wait for it. */
  send(pcm: Pcm): Promise<void> {
    const taken = this.#record(pcm)
    // Whoever ignores it learns from `closed` that the stream has failed.
    taken.catch(() => undefined)
    return taken
  }

  async #record(pcm: Pcm): Promise<void> {
    if (this.#finishing) throw closedByCaller()
    if (this.#isOver) await this.closed
    if (this.#tape.heldSamples > MAX_HELD_SECONDS * SAMPLE_RATE_HZ) {
      this.#over.abort(new SautiError('too_far_behind', `The service is ${MAX_HELD_SECONDS} seconds behind.`))
    }
    await this.#tape.write(this.#samples.read(pcm))
  }

  /** Ends the utterance here; resolves when its text has come. */
  flush(): Promise<void> {
    this.#tape.mark()
    const done = createDeferred<void>()
    if (this.#isOver || this.#tape.end <= this.#confirmed) done.resolve()
    else this.#flushes.push({ end: this.#tape.end, done })
    return done.promise
  }

  /** No more audio will come; resolves when all text has come. */
  finish(): Promise<ContinuousSummary> {
    this.#finishing = true
    this.#tape.close()
    return this.closed
  }

  /** Ends the stream at once, without the text that is still to come. */
  abort(reason: unknown = closedByCaller()): void {
    this.#over.abort(reason)
  }

  /** Calls the listener with every event of a type, until the returned function is called. */
  on<T extends ContinuousEvent['type']>(
    type: T,
    listener: (event: Extract<ContinuousEvent, { type: T }>) => void,
  ): () => void {
    return this.#hub.on(type, listener)
  }

  /** Every event from now on; ends with the stream, and throws the error that ended it. */
  [Symbol.asyncIterator](): AsyncIterableIterator<ContinuousEvent> {
    return this.#hub.iterate()
  }

  get #isOver(): boolean {
    return this.#state === 'completed' || this.#state === 'failed'
  }

  #followSignal(signal: AbortSignal | undefined): void {
    const stop = () => this.abort(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    // Readers and writers that wait must be rejected.
    this.#over.signal.addEventListener('abort', () => this.#tape.fail(this.#over.signal.reason))
  }

  async #run(): Promise<void> {
    let stuck = { failures: 0, sinceMs: performance.now() }
    // No session is reserved before there is something to send.
    while ((await this.#nextSample()) > this.#confirmed) {
      const before = this.#confirmed
      try {
        await this.#runSession()
      } catch (error) {
        this.#over.signal.throwIfAborted()
        if (this.#confirmed > before) stuck = { failures: 0, sinceMs: performance.now() }
        await this.#recover(error, stuck)
        stuck.failures += 1
      }
    }
  }

  async #nextSample(): Promise<number> {
    this.#over.signal.throwIfAborted()
    if (this.#tape.end <= this.#confirmed) this.#change('idle')
    return this.#tape.fill(this.#confirmed + 1)
  }

  async #runSession(): Promise<void> {
    this.#change('connecting')
    const wish: SessionWish = { model: this.#options.model, max_audio_seconds: this.#wantedSeconds() }
    await this.#bill.keepUp()
    await this.#source.use(wish, grant => this.#speak(grant, wish))
  }

  async #speak(grant: SessionGrant, wish: SessionWish): Promise<void> {
    const { durationMs, settings = {} } = this.#options
    const kind = this.#kind
    const longestSeconds = Math.min(
      LONGEST_UTTERANCE_SECONDS[kind],
      this.#sessionSeconds / UTTERANCES_IN_A_SESSION,
    )
    await speakSession(grant, {
      connection: { ...this.#options, signal: this.#over.signal },
      settings,
      tape: this.#tape,
      start: this.#confirmed,
      totalSamples: durationMs === undefined ? undefined : Math.ceil(durationMs * SAMPLES_PER_MS),
      longestUtterance: longestSeconds * SAMPLE_RATE_HZ,
      holdBackSamples: HOLD_BACK_SAMPLES[kind],
      silenceMs: this.#options.silenceMs,
      isShort: grant.audio.max_audio_seconds < wish.max_audio_seconds,
      bill: this.#bill,
      onReady: () => this.#opened(grant),
      onDelta: delta => this.#hub.emit(delta),
      onSpeech: event => this.#hub.emit(event),
      onFinal: (final, end) => this.#confirm(final, end),
    })
  }

  #opened({ id, audio }: SessionGrant): void {
    this.#change('streaming')
    const start_ms = samplesToMs(this.#confirmed)
    this.#hub.emit({ type: 'session', id, start_ms, reserved_seconds: audio.max_audio_seconds })
  }

  #confirm(final: ContinuousFinal, end: number): void {
    this.#confirmed = end
    this.#tape.forget(end)
    this.#hub.emit(final)
    const isDone = (flush: { end: number }) => flush.end <= end
    for (const { done } of this.#flushes.filter(isDone)) done.resolve()
    this.#flushes = this.#flushes.filter(flush => !isDone(flush))
  }

  /** Waits before the next attempt, or throws when another one cannot help. */
  async #recover(error: unknown, stuck: { failures: number; sinceMs: number }): Promise<void> {
    const isPassed = performance.now() - stuck.sinceMs > (this.#options.patienceMs ?? PATIENCE_MS)
    if (!(error instanceof SautiError) || !isPassing(error) || isPassed) throw error
    this.#change('waiting')
    const delay_ms = retryWaitMs(error, stuck.failures)
    this.#hub.emit({ type: 'waiting', code: error.code, message: error.message, delay_ms })
    await waitMs(delay_ms, this.#over.signal)
  }

  get #kind(): 'recording' | 'live' {
    return this.#options.isRecording ? 'recording' : 'live'
  }

  get #sessionSeconds(): number {
    return Math.min(this.#options.sessionSeconds ?? MAX_AUDIO_SECONDS, MAX_AUDIO_SECONDS)
  }

  /** What is left of the audio and a little more, since lengths in file headers are not exact. */
  #wantedSeconds(): number {
    const { durationMs } = this.#options
    if (durationMs === undefined) return this.#sessionSeconds
    const restSeconds = durationMs / 1000 - this.#confirmed / SAMPLE_RATE_HZ
    return Math.min(this.#sessionSeconds, Math.max(1, Math.ceil(restSeconds / (1 - LEAST_REST)) + 1))
  }

  async #end(failure: unknown): Promise<void> {
    this.#source.close()
    const billing = await this.#bill.settle()
    this.#change(failure === undefined ? 'completed' : 'failed')
    const reason = failure ?? closedByCaller()
    this.#tape.fail(reason)
    for (const { done } of this.#flushes.splice(0)) done.reject(reason)
    if (failure === undefined) this.#closed.resolve({ ...billing, audio_ms: samplesToMs(this.#confirmed) })
    else this.#closed.reject(failure)
    this.#hub.end(failure)
  }

  #change(to: ContinuousState): void {
    this.#state = changeState(this.#state, to)
  }
}

function howToPay({ client, createSession }: ContinuousStreamOptions): {
  create: CreateSession
  usage: ReadUsage | undefined
} {
  if (createSession) return { create: createSession, usage: client && (() => client.usage()) }
  if (!client)
    throw new SautiError('missing_client', 'A continuous stream needs `client` or `createSession`.')
  // Every attempt is made here, so that listeners are told about it.
  return {
    create: (wish, options) => client.createSession(wish, { ...options, maxRetries: 0 }),
    usage: () => client.usage({ maxRetries: 1 }),
  }
}

function closedByCaller(): SautiError {
  return new SautiError('closed_by_caller', 'The stream was closed.')
}
