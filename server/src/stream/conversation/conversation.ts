// Steps 3 to 6 of one session, from `ready` on: what the client asks for, in its order. Audio goes through the intake to the recogniser,
// and what it finds comes back as results. Knows no socket and no timer; every method is synchronous.

import { chunkSamples, type LookAhead, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelDescription } from '@sauti/protocol/models'
import type { ConfigRequest } from '@sauti/protocol/stream'
import type {
  RecogniserEvent,
  RecogniserStream,
  VoiceDetector,
  VoiceListener,
} from '../../recogniser/port.ts'
import type { FinishReason } from '../connection/connection-state.ts'
import { MAX_OWED_ANSWERS, QUEUE_LOW_PART } from '../settings.ts'
import type { FlushCause } from './answers.ts'
import { AudioIntake, type AudioIntakeParts } from './audio-intake.ts'
import { Endpointing } from './endpointing.ts'
import { Results, type ResultsParts } from './results.ts'
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

export interface ConversationParts extends Omit<AudioIntakeParts, 'onAudio'>, ResultsParts {
  readonly model: ModelDescription
  readonly lookAheads: readonly LookAhead[]
  readonly recogniser: RecogniserStream
  readonly voice: VoiceDetector
  /** Gets what the voice detector finds, and passes it to voice(). */
  readonly voiceListener: VoiceListener
  readonly maxQueuedAudioMs: number
}

const ANSWERED_AT_THE_END: ReadonlySet<DueRequest['type']> = new Set(['flush', 'reset', 'reply'])

export class Conversation implements Stage {
  readonly #parts: ConversationParts
  readonly #intake: AudioIntake
  readonly #results: Results
  #settings = DEFAULT_SETTINGS
  /** An utterance begins with its first accepted audio and ends with the client's flush or reset. */
  #underWay = false
  /** Only where the client asked for endpointing. */
  #endpointing: Endpointing | undefined
  /** What the client asked for after audio in which silence may still end the utterance, and everything since. */
  #pending: DueRequest[] = []

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#intake = new AudioIntake({ ...parts, onAudio: samples => this.#hear(samples) })
    this.#results = new Results(parts)
  }

  /** The engine is behind, or too many answers are owed. */
  isFull(alreadyPaused: boolean): boolean {
    const { maxQueuedAudioMs } = this.#parts
    // Less than a whole chunk waits until more audio comes, so a limit below that would never be released.
    const limit = Math.max(maxQueuedAudioMs * SAMPLES_PER_MS, 2 * chunkSamples(this.#settings.lookAhead))
    const isBehind = this.queuedSamples > (alreadyPaused ? limit * QUEUE_LOW_PART : limit)
    const isWaiting = this.#intake.isChanging || this.#pending.length > 0
    return isBehind || isWaiting || this.#results.owed >= MAX_OWED_ANSWERS
  }

  /** The connection itself notes that it finishes, where the last request need not wait. */
  get takesMore(): boolean {
    return !this.#intake.isFinishing && this.#pending.at(-1)?.type !== 'finish'
  }

  get isBusy(): boolean {
    return this.#results.owed > 0 || this.#pending.length > 0 || this.#intake.isWaiting
  }

  get queuedSamples(): number {
    const waiting = (this.#endpointing?.queuedSamples ?? 0) + this.#intake.queuedSamples
    return this.#parts.recogniser.queuedSamples + waiting
  }

  request(request: StageRequest): FinishReason | undefined {
    return this.#intake.postpone(request) ? undefined : this.perform(request)
  }

  decoded(samples: Int16Array<ArrayBuffer> | undefined): readonly DueRequest[] {
    return this.#intake.decoded(samples)
  }

  perform(request: DueRequest): FinishReason | undefined {
    if (!this.#mustWait(request)) return this.#do(request)
    this.#pending.push(request)
    return undefined
  }

  /** So that utterances end at the same samples however fast the audio comes. */
  #mustWait({ type }: DueRequest): boolean {
    if (this.#pending.length > 0) return true
    return type !== 'audio' && type !== 'sound' && (this.#endpointing?.isJudging ?? false)
  }

  #do(request: DueRequest): FinishReason | undefined {
    switch (request.type) {
      case 'audio':
        return this.#intake.push(request.bytes)
      case 'sound':
        return this.#intake.pushSound(request.samples)
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
      case 'reply':
        this.#results.oweReply(request)
        return undefined
      case 'finish':
        return 'client_finished'
      case 'invalid':
        throw request.error
    }
  }

  event(event: RecogniserEvent): void {
    if (event.type === 'delta') this.#endpointing?.noteText(event.audioMs)
    this.#results.tell(event)
  }

  voice(likelihoods: readonly number[]): readonly DueRequest[] {
    this.#endpointing?.judge(likelihoods)
    return this.#endpointing?.isJudging ? [] : this.#pending.splice(0)
  }

  refuse(send: () => void): void {
    this.#results.oweRefusal(send)
  }

  /** Audio after a request that waits is not accepted yet. */
  finish(reason: FinishReason): void {
    this.#intake.close()
    const pending = this.#pending.splice(0)
    for (const request of pending) if (ANSWERED_AT_THE_END.has(request.type)) this.#do(request)
    // A client that broke the protocol gets no final that it does not wait for.
    if (this.#underWay || reason !== 'too_many_invalid_messages') this.#do({ type: 'flush' })
  }

  close(): void {
    this.#intake.close()
    this.#endpointing?.close()
    this.#parts.recogniser.close()
  }

  #hear(samples: Int16Array): void {
    this.#results.noteAudio()
    this.#underWay = true
    if (this.#endpointing) this.#endpointing.push(samples)
    else this.#parts.recogniser.push(samples)
  }

  #endAudio(): void {
    this.#intake.endUtterance()
    this.#endpointing?.release()
  }

  #flush(cause: FlushCause): void {
    this.#underWay = false
    this.#results.oweFinal(cause)
    this.#parts.recogniser.flush()
  }

  #reset(): void {
    this.#underWay = false
    this.#endAudio()
    this.#intake.discardHalf()
    this.#results.oweReset()
    this.#parts.recogniser.reset()
  }

  #configure(request: ConfigRequest): void {
    const { model, lookAheads, recogniser } = this.#parts
    checkLanguage(model, request.language)
    if (this.#underWay && !isKeepAlive(request)) throw new ServiceError('config_not_allowed')
    const settings = this.#underWay ? this.#settings : applyConfig(this.#settings, request, lookAheads)
    const needsEngine = !isSameSettings(settings, this.#settings)
    if (settings.silenceMs !== this.#settings.silenceMs) this.#setEndpointing(settings.silenceMs)
    if (!isSameAudio(settings.audio, this.#settings.audio)) this.#intake.setFormat(settings.audio)
    this.#settings = settings
    this.#results.oweConfig(acknowledgeConfig(model, settings), needsEngine)
    if (needsEngine) recogniser.configure({ lookAhead: settings.lookAhead, phrases: settings.phrases })
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
}
