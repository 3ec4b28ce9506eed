// Steps 3 to 6 of one session, from `ready` on: audio goes through gate and meter to the recogniser, its events come back as
// `delta` and `final`. Knows no socket and no timer; every method is synchronous.

import { chunkSamples, ENCODING, type LookAhead, SAMPLE_RATE_HZ, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelDescription } from '@sauti/protocol/models'
import type { AudioSettings, ConfigRequest, Word } from '@sauti/protocol/stream'
import type {
  RecogniserEvent,
  RecogniserStream,
  VoiceDetector,
  VoiceListener,
} from '../../recogniser/port.ts'
import { IncomingAudio } from '../audio/incoming-audio.ts'
import type { OpusDecoders, OpusListener } from '../audio/opus-decoders.ts'
import { notAPacket } from '../audio/opus-packet.ts'
import type { FinishReason } from '../connection/connection-state.ts'
import type { ConversationEvent } from '../dialect.ts'
import type { StreamMetrics } from '../metrics.ts'
import { MAX_OWED_ANSWERS, QUEUE_LOW_PART } from '../settings.ts'
import { Answers } from './answers.ts'
import { Endpointing } from './endpointing.ts'
import { admit, type HalfSample } from './gate.ts'
import type { Meter, Reading } from './meter.ts'
import { OpusIntake } from './opus-intake.ts'
import type { DueRequest, Stage, StageRequest } from './stage.ts'
import {
  acknowledgeConfig,
  applyConfig,
  checkLanguage,
  DEFAULT_SETTINGS,
  isKeepAlive,
  isSameAudio,
  isSameSettings,
} from './stream-config.ts'

export interface ConversationParts {
  readonly model: ModelDescription
  readonly lookAheads: readonly LookAhead[]
  readonly recogniser: RecogniserStream
  readonly voice: VoiceDetector
  /** Is told what the voice detector finds, and hands it on to voice(). */
  readonly voiceListener: VoiceListener
  readonly opus: OpusDecoders
  /** Is told what Opus packets hold, and hands it on to decoded(). */
  readonly opusListener: OpusListener
  readonly meter: Meter
  readonly metrics: StreamMetrics
  readonly maxQueuedAudioMs: number
  readonly monotonicMs: () => number
  readonly send: (event: ConversationEvent) => void
}

export class Conversation implements Stage {
  readonly #parts: ConversationParts
  readonly #answers: Answers
  #settings = DEFAULT_SETTINGS
  #half: HalfSample
  /** Only where the client sends another format than that of the wire. */
  #incoming: IncomingAudio | undefined
  /** Only where the client sends Opus. */
  #opus: OpusIntake | undefined
  /** An utterance begins with its first accepted audio and ends with the client's flush or reset. */
  #underWay = false
  /** Of the utterance that the recogniser's events speak of; it is behind what the client sends. */
  #utterance = 1
  #firstAudioAtMs: number | undefined
  #heardText = false
  /** Only where the client asked for endpointing. */
  #endpointing: Endpointing | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#answers = new Answers(parts.send)
  }

  /** The engine is behind, or too many answers are owed. */
  isFull(alreadyPaused: boolean): boolean {
    const { maxQueuedAudioMs } = this.#parts
    // Less than a whole chunk waits until more audio comes, so a limit below that would never be released.
    const limit = Math.max(maxQueuedAudioMs * SAMPLES_PER_MS, 2 * chunkSamples(this.#settings.lookAhead))
    const isBehind = this.queuedSamples > (alreadyPaused ? limit * QUEUE_LOW_PART : limit)
    const isChanging = this.#opus?.isChanging ?? false
    return isBehind || isChanging || this.#answers.length >= MAX_OWED_ANSWERS
  }

  /** The connection itself notes that it finishes, where the last request need not wait. */
  get takesMore(): boolean {
    return !this.#opus?.isFinishing
  }

  get isBusy(): boolean {
    return this.#answers.length > 0 || (this.#opus?.isWaiting ?? false)
  }

  get queuedSamples(): number {
    const waiting = (this.#endpointing?.queuedSamples ?? 0) + (this.#opus?.queuedSamples ?? 0)
    return this.#parts.recogniser.queuedSamples + waiting
  }

  request(request: StageRequest): FinishReason | undefined {
    return this.#opus?.take(request) ? undefined : this.perform(request)
  }

  decoded(samples: Int16Array<ArrayBuffer> | undefined): readonly DueRequest[] {
    return this.#opus?.decoded(samples) ?? []
  }

  perform(request: DueRequest): FinishReason | undefined {
    switch (request.type) {
      case 'audio':
        return this.#audio(request.bytes)
      case 'sound':
        if (!request.samples) throw notAPacket()
        return this.#admit(new Uint8Array(request.samples.buffer))
      case 'config':
        this.#configure(request)
        return undefined
      case 'flush':
        this.#endAudio()
        this.#flush('client')
        return undefined
      case 'reset':
        this.#reset()
        return undefined
      case 'finish':
        return 'client_finished'
    }
  }

  event(event: RecogniserEvent): void {
    switch (event.type) {
      case 'delta':
        this.#tellDelta(event)
        break
      case 'final':
        this.#tellFinal(event)
        break
      case 'reset':
        this.#tellReset()
        break
      case 'configured':
        this.#tellConfigured()
        break
      case 'progress':
        break
    }
  }

  voice(likelihoods: readonly number[]): void {
    this.#endpointing?.judge(likelihoods)
  }

  /** Packets that are not decoded yet are not accepted any more. */
  finish(): void {
    this.#opus?.close()
    this.perform({ type: 'flush' })
  }

  close(): void {
    this.#opus?.close()
    this.#endpointing?.close()
    this.#parts.recogniser.close()
  }

  #flush(cause: 'client' | 'endpoint'): void {
    this.#underWay = false
    this.#answers.owe({
      type: 'final',
      askedAtMs: this.#parts.monotonicMs(),
      reading: this.#parts.meter.read(),
      cause,
    })
    this.#parts.recogniser.flush()
  }

  /** Converted before it is counted: what is billed is its time. */
  #audio(frame: Uint8Array): FinishReason | undefined {
    return this.#admit(this.#incoming ? this.#incoming.push(frame) : frame)
  }

  /** What the converter has kept back belongs to the utterance that ends. */
  #endAudio(): void {
    if (this.#incoming) this.#admit(this.#incoming.flush())
    this.#endpointing?.release()
  }

  #admit(frame: Uint8Array): FinishReason | undefined {
    const { samples, half, cut } = admit(this.#half, frame, this.#parts.meter.roomSamples)
    this.#half = half
    if (samples.length > 0) this.#accept(samples)
    return cut ? 'audio_limit_reached' : undefined
  }

  #accept(samples: Int16Array): void {
    this.#firstAudioAtMs ??= this.#parts.monotonicMs()
    this.#underWay = true
    this.#parts.meter.count(samples.length)
    this.#parts.metrics.countAudio(samples.length)
    if (this.#endpointing) this.#endpointing.push(samples)
    else this.#parts.recogniser.push(samples)
  }

  /** The half sample is unfinished audio too. */
  #reset(): void {
    this.#underWay = false
    this.#endAudio()
    this.#half = undefined
    this.#answers.owe({ type: 'reset' })
    this.#parts.recogniser.reset()
  }

  #configure(request: ConfigRequest): void {
    const { model, lookAheads, recogniser } = this.#parts
    checkLanguage(model, request.language)
    if (this.#underWay && !isKeepAlive(request)) throw new ServiceError('config_not_allowed')
    const settings = this.#underWay ? this.#settings : applyConfig(this.#settings, request, lookAheads)
    const needsEngine = !isSameSettings(settings, this.#settings)
    if (settings.silenceMs !== this.#settings.silenceMs) this.#setEndpointing(settings.silenceMs)
    if (!isSameAudio(settings.audio, this.#settings.audio)) this.#setAudio(settings.audio)
    this.#settings = settings
    this.#answers.owe({ type: 'config', event: acknowledgeConfig(model, settings), needsEngine })
    if (needsEngine) recogniser.configure({ lookAhead: settings.lookAhead, phrases: settings.phrases })
  }

  #setAudio({ encoding, sample_rate_hz: sampleRateHz }: AudioSettings): void {
    this.#half = undefined
    this.#opus?.close()
    this.#opus = undefined
    this.#incoming = undefined
    if (encoding === 'opus') this.#opus = new OpusIntake(this.#parts.opus, this.#parts.opusListener)
    else if (encoding !== ENCODING || sampleRateHz !== SAMPLE_RATE_HZ)
      this.#incoming = new IncomingAudio({ encoding, sampleRateHz, channels: 1 })
  }

  #setEndpointing(silenceMs: number | undefined): void {
    const { recogniser, voice, voiceListener, meter, send } = this.#parts
    this.#endpointing?.release()
    this.#endpointing?.close()
    this.#endpointing = undefined
    if (silenceMs === undefined) return
    this.#endpointing = new Endpointing({
      silenceMs,
      detector: voice,
      listener: voiceListener,
      samplesBefore: meter.acceptedSamples,
      recogniser,
      send,
      onEnd: () => this.#flush('endpoint'),
    })
  }

  #tellDelta({ text, append, words, audioMs }: Extract<RecogniserEvent, { type: 'delta' }>): void {
    this.#noteFirstText()
    this.#endpointing?.noteText(audioMs)
    this.#parts.send({ type: 'delta', text, append, words, utterance: this.#utterance, audio_ms: audioMs })
  }

  #tellFinal({ text, words, audioMs }: Extract<RecogniserEvent, { type: 'final' }>): void {
    const { askedAtMs, reading, cause } = this.#answers.take('final')
    this.#parts.metrics.observeFlushToFinal(this.#parts.monotonicMs() - askedAtMs)
    this.#endpointing?.noteFinal()
    // Sound without words, such as a door, is no utterance.
    if (cause === 'client' || text !== '') this.#sendFinal(text, words, audioMs, reading, cause)
    this.#answers.sendReady()
  }

  #sendFinal(
    text: string,
    words: readonly Word[],
    audioMs: number,
    reading: Reading,
    cause: 'client' | 'endpoint',
  ): void {
    this.#parts.send({
      type: 'final',
      text,
      utterance: this.#utterance,
      words,
      audio_ms: audioMs,
      billable_ms: reading.billableMs,
      remaining_ms: reading.remainingMs,
      ...(cause === 'endpoint' ? { cause } : {}),
    })
    this.#utterance += 1
  }

  #tellReset(): void {
    this.#answers.take('reset')
    this.#utterance += 1
    this.#parts.send({ type: 'reset_ack', utterance: this.#utterance })
    this.#answers.sendReady()
  }

  #tellConfigured(): void {
    this.#parts.send(this.#answers.take('config').event)
    this.#answers.sendReady()
  }

  #noteFirstText(): void {
    if (this.#heardText || this.#firstAudioAtMs === undefined) return
    this.#heardText = true
    this.#parts.metrics.observeFirstDelta(this.#parts.monotonicMs() - this.#firstAudioAtMs)
  }
}
