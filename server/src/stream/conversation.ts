// Steps 3 to 6 of one session, from `ready` on: audio goes through gate and meter to the recogniser, its events come back as
// `delta` and `final`. Knows no socket and no timer; every method is synchronous.

import { chunkSamples, type LookAhead, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelDescription } from '@sauti/protocol/models'
import type { ClientRequest, ConfigRequest, ServerEvent } from '@sauti/protocol/stream'
import type { RecogniserEvent, RecogniserStream } from '../recogniser/port.ts'
import { Answers } from './answers.ts'
import { admit, type HalfSample } from './gate.ts'
import type { Meter } from './meter.ts'
import type { StreamMetrics } from './metrics.ts'
import { MAX_OWED_ANSWERS, QUEUE_LOW_PART } from './settings.ts'
import type { FinishReason, Stage } from './stage.ts'
import { acknowledgeConfig, applyConfig, checkLanguage, DEFAULT_SETTINGS, isBare } from './stream-config.ts'

export interface ConversationParts {
  readonly model: ModelDescription
  readonly lookAheads: readonly LookAhead[]
  readonly recogniser: RecogniserStream
  readonly meter: Meter
  readonly metrics: StreamMetrics
  readonly maxQueuedAudioMs: number
  readonly monotonicMs: () => number
  readonly send: (event: ServerEvent) => void
}

export class Conversation implements Stage {
  readonly #parts: ConversationParts
  readonly #answers: Answers
  #settings = DEFAULT_SETTINGS
  #half: HalfSample
  /** An utterance begins with its first accepted audio and ends with the client's flush or reset. */
  #underWay = false
  /** Of the utterance that the recogniser's events speak of; it lags behind what the client sends. */
  #utterance = 1
  #firstAudioAtMs: number | undefined
  #heardText = false
  #finishing: FinishReason | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#answers = new Answers(parts.send)
  }

  /** The engine is behind, or too many answers are owed. */
  isFull(alreadyPaused: boolean): boolean {
    const { recogniser, maxQueuedAudioMs } = this.#parts
    // Less than a whole chunk lies still until more audio comes, so a limit below that would never let go.
    const limit = Math.max(maxQueuedAudioMs * SAMPLES_PER_MS, 2 * chunkSamples(this.#settings.lookAhead))
    const isBehind = recogniser.queuedSamples > (alreadyPaused ? limit * QUEUE_LOW_PART : limit)
    return isBehind || this.#answers.length >= MAX_OWED_ANSWERS
  }

  get isBusy(): boolean {
    return this.#answers.length > 0
  }

  get isFinishing(): boolean {
    return this.#finishing !== undefined
  }

  get isSpent(): boolean {
    return this.#parts.meter.roomSamples === 0
  }

  get queuedSamples(): number {
    return this.#parts.recogniser.queuedSamples
  }

  audio(frame: Uint8Array): void {
    const { samples, half, cut } = admit(this.#half, frame, this.#parts.meter.roomSamples)
    this.#half = half
    if (samples.length > 0) this.#accept(samples)
    if (cut) this.finish('audio_limit_reached')
  }

  request(request: ClientRequest): void {
    if (request.type === 'config') this.#configure(request)
    else if (request.type === 'flush') this.#flush()
    else this.#reset()
  }

  /** Flushes once more, answers everything that is owed, then throws the reason. */
  finish(reason: FinishReason): void {
    if (this.#finishing) return
    this.#finishing = reason
    this.#flush()
  }

  event(event: RecogniserEvent): void {
    if (event.type === 'delta') this.#tellDelta(event)
    else if (event.type === 'final') this.#tellFinal(event)
    else if (event.type === 'reset') this.#tellReset()
    if (this.#finishing && this.#answers.length === 0) throw new ServiceError(this.#finishing)
  }

  close(): void {
    this.#parts.recogniser.close()
  }

  #accept(samples: Int16Array): void {
    this.#firstAudioAtMs ??= this.#parts.monotonicMs()
    this.#underWay = true
    this.#parts.meter.count(samples.length)
    this.#parts.metrics.countAudio(samples.length)
    this.#parts.recogniser.push(samples)
  }

  #flush(): void {
    this.#underWay = false
    this.#answers.owe({
      type: 'final',
      askedAtMs: this.#parts.monotonicMs(),
      reading: this.#parts.meter.read(),
    })
    this.#parts.recogniser.flush()
  }

  /** The half sample is unfinished audio too. */
  #reset(): void {
    this.#underWay = false
    this.#half = undefined
    this.#answers.owe({ type: 'reset' })
    this.#parts.recogniser.reset()
  }

  #configure(request: ConfigRequest): void {
    const { model, lookAheads, recogniser } = this.#parts
    checkLanguage(model, request.language)
    if (this.#underWay && !isBare(request)) throw new ServiceError('config_not_allowed')
    if (!this.#underWay) {
      this.#settings = applyConfig(this.#settings, request, lookAheads)
      recogniser.configure(this.#settings)
    }
    this.#answers.owe({ type: 'config', event: acknowledgeConfig(model, this.#settings) })
  }

  #tellDelta({ text, append, audioMs }: Extract<RecogniserEvent, { type: 'delta' }>): void {
    this.#noteFirstText()
    this.#parts.send({ type: 'delta', text, append, utterance: this.#utterance, audio_ms: audioMs })
  }

  #tellFinal({ text, words, audioMs }: Extract<RecogniserEvent, { type: 'final' }>): void {
    const { askedAtMs, reading } = this.#answers.take('final')
    this.#parts.metrics.observeFlushToFinal(this.#parts.monotonicMs() - askedAtMs)
    this.#parts.send({
      type: 'final',
      text,
      utterance: this.#utterance,
      words,
      audio_ms: audioMs,
      billable_ms: reading.billableMs,
      remaining_ms: reading.remainingMs,
    })
    this.#utterance += 1
    this.#answers.sendReady()
  }

  #tellReset(): void {
    this.#answers.take('reset')
    this.#utterance += 1
    this.#parts.send({ type: 'reset_ack', utterance: this.#utterance })
    this.#answers.sendReady()
  }

  #noteFirstText(): void {
    if (this.#heardText || this.#firstAudioAtMs === undefined) return
    this.#heardText = true
    this.#parts.metrics.observeFirstDelta(this.#parts.monotonicMs() - this.#firstAudioAtMs)
  }
}
