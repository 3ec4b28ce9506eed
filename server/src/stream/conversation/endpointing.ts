// Ends utterances without the client: when words are followed by silence, judged by voice detection and by what the recogniser understands.
// Audio passes through here on its way to the recogniser.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import type { SpeechEndedEvent, SpeechStartedEvent } from '@sauti/protocol/stream'
import type { RecogniserStream, VoiceDetector, VoiceListener } from '../../recogniser/port.ts'
import { Endpointer, type Turn } from './endpointer.ts'
import { NoiseLevel } from './noise-level.ts'
import { VoicedAudio } from './voiced-audio.ts'

/**
 * Sound that seems to be a voice and has no words for this long beyond the silence that was asked for: music, or a laugh. With 2 s, 7 of 169
 * recordings were cut inside a sentence, where the recogniser had not understood a part of it.
 */
const WORDLESS_MS = 8_000
/** Words without a voice: nobody but the recogniser heard them, and it writes only once per second. */
const VOICELESS_MS = 1_000
/** The recogniser starts again after this much silence: after a long pause it hears the first words better. */
const FRESH_START_MS = 5_000
/** But not while somebody may be about to speak. */
const SURE_SILENCE_MS = 1_000

export interface EndpointingParts {
  readonly silenceMs: number
  readonly detector: VoiceDetector
  readonly listener: VoiceListener
  /** Accepted before it began. */
  readonly samplesBefore: number
  readonly recogniser: Pick<RecogniserStream, 'push' | 'queuedSamples'>
  readonly send: (event: SpeechStartedEvent | SpeechEndedEvent) => void
  /** The utterance ends with the sample that was handed on last. */
  readonly onEnd: () => void
}

export class Endpointing {
  readonly #parts: EndpointingParts
  readonly #endpointer: Endpointer
  readonly #noise = new NoiseLevel()
  readonly #audio: VoicedAudio
  /** Time of the sound that was handed on last. */
  #nowMs: number
  #utteranceStartMs: number
  /** When the recogniser last found more words in the utterance. */
  #lastTextMs: number | undefined

  constructor(parts: EndpointingParts) {
    this.#parts = parts
    this.#nowMs = parts.samplesBefore / SAMPLES_PER_MS
    this.#utteranceStartMs = this.#nowMs
    this.#endpointer = new Endpointer(parts.silenceMs)
    this.#audio = new VoicedAudio({
      ...parts,
      onFrame: (frame, likelihood, endMs) => this.#hear(frame, likelihood, endMs),
      onRest: samples => this.#handOn(samples),
    })
  }

  get queuedSamples(): number {
    return this.#audio.queuedSamples
  }

  /** Whether silence ends the utterance in the audio so far is not known yet. */
  get isJudging(): boolean {
    return this.#audio.isJudging
  }

  push(samples: Int16Array): void {
    this.#audio.push(samples)
  }

  judge(likelihoods: readonly number[]): void {
    this.#audio.judge(likelihoods)
  }

  /** The client ends the utterance itself: everything goes to the recogniser now. */
  release(): void {
    this.#audio.release()
    const turn = this.#endpointer.stop()
    if (turn) this.#tell(turn)
    this.#beginUtterance()
  }

  /** Words of an utterance that has ended are told late where audio comes fast; they say nothing about the next one. */
  noteText(audioMs: number): void {
    if (audioMs > this.#utteranceStartMs) this.#lastTextMs = audioMs
  }

  close(): void {
    this.#audio.close()
  }

  #hear(frame: Int16Array, likelihood: number, endMs: number): void {
    this.#parts.recogniser.push(frame)
    this.#nowMs = endMs
    const turn = this.#endpointer.hear(likelihood, endMs, this.#noise.hear(frame))
    if (turn) this.#tell(turn)
    if (turn?.type === 'ended' || this.#isWordless() || this.#isStale()) this.#end()
  }

  #handOn(samples: Int16Array): void {
    this.#parts.recogniser.push(samples)
    this.#nowMs += samples.length / SAMPLES_PER_MS
  }

  #tell({ type, atMs }: Turn): void {
    const audio_ms = Math.max(0, Math.floor(atMs))
    this.#parts.send({ type: type === 'started' ? 'speech_started' : 'speech_ended', audio_ms })
  }

  #end(): void {
    this.#beginUtterance()
    this.#parts.onEnd()
  }

  #beginUtterance(): void {
    this.#utteranceStartMs = this.#nowMs
    this.#lastTextMs = undefined
  }

  /** There were words, and then none for so long that the sound since then is not speech. */
  #isWordless(): boolean {
    const { silenceMs, recogniser } = this.#parts
    if (this.#lastTextMs === undefined) return false
    const heardMs = this.#nowMs - recogniser.queuedSamples / SAMPLES_PER_MS
    const patienceMs = silenceMs + (this.#endpointer.isSpeech ? WORDLESS_MS : VOICELESS_MS)
    return heardMs - this.#lastTextMs >= patienceMs
  }

  /** Nothing was said since the utterance began. */
  #isStale(): boolean {
    if (this.#endpointer.isSpeech || this.#lastTextMs !== undefined) return false
    const isLong = this.#nowMs - this.#utteranceStartMs >= FRESH_START_MS
    return isLong && this.#endpointer.silentForMs >= SURE_SILENCE_MS
  }
}
