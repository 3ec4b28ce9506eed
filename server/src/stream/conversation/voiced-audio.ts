// Audio of a stream with endpointing, on its way to the recogniser: each frame waits until it is known whether it holds a voice, so that an
// utterance ends at the same sample however fast the audio comes.

import { samplesToMs } from '@sauti/protocol/audio'
import {
  VOICE_FRAME_SAMPLES,
  type VoiceDetector,
  type VoiceListener,
  type VoiceStream,
} from '../../recogniser/port.ts'
import { Fifo } from '../socket/fifo.ts'

export interface VoicedAudioParts {
  readonly detector: VoiceDetector
  readonly listener: VoiceListener
  /** Accepted before, so that times count from the first sample of the session. */
  readonly samplesBefore: number
  /** A frame that was judged; `endMs` is the time of its end. */
  readonly onFrame: (frame: Int16Array, likelihood: number, endMs: number) => void
  /** What could not be judged because the utterance had to end at once. */
  readonly onRest: (samples: Int16Array) => void
}

export class VoicedAudio {
  readonly #parts: VoicedAudioParts
  readonly #voice: VoiceStream
  readonly #waiting = new Fifo<Int16Array>()
  #partial = new Int16Array(VOICE_FRAME_SAMPLES)
  #filled = 0
  /** Samples that were handed on. */
  #position: number
  /** Frames that were handed on unjudged; their answers are still to come and mean nothing. */
  #unanswered = 0

  constructor(parts: VoicedAudioParts) {
    this.#parts = parts
    this.#position = parts.samplesBefore
    this.#voice = parts.detector.open(parts.listener)
  }

  get queuedSamples(): number {
    return this.#waiting.length * VOICE_FRAME_SAMPLES + this.#filled
  }

  /** Whole frames whose answer is still to come. */
  get isJudging(): boolean {
    return this.#waiting.length > 0
  }

  /** The whole frames of one call travel in one message. */
  push(samples: Int16Array): void {
    const whole = Math.floor((this.#filled + samples.length) / VOICE_FRAME_SAMPLES) * VOICE_FRAME_SAMPLES
    const frames = new Int16Array(whole)
    if (whole > 0) {
      const taken = whole - this.#filled
      frames.set(this.#partial.subarray(0, this.#filled))
      frames.set(samples.subarray(0, taken), this.#filled)
      this.#filled = 0
      this.#keepRest(samples.subarray(taken))
      for (let at = 0; at < whole; at += VOICE_FRAME_SAMPLES) {
        this.#waiting.push(frames.subarray(at, at + VOICE_FRAME_SAMPLES))
      }
      this.#voice.push(frames)
    } else {
      this.#keepRest(samples)
    }
  }

  /** Answers of the detector. */
  judge(likelihoods: readonly number[]): void {
    for (const likelihood of likelihoods) {
      if (this.#unanswered > 0) {
        this.#unanswered -= 1
        continue
      }
      const frame = this.#waiting.shift()!
      this.#position += frame.length
      this.#parts.onFrame(frame, likelihood, samplesToMs(this.#position))
    }
  }

  /** Hands on everything that waits. */
  release(): void {
    for (let frame = this.#waiting.shift(); frame; frame = this.#waiting.shift()) {
      this.#unanswered += 1
      this.#handOn(frame)
    }
    if (this.#filled > 0) this.#handOn(this.#partial.subarray(0, this.#filled))
    this.#filled = 0
  }

  close(): void {
    this.#voice.close()
  }

  #keepRest(samples: Int16Array): void {
    this.#partial.set(samples, this.#filled)
    this.#filled += samples.length
  }

  #handOn(samples: Int16Array): void {
    this.#position += samples.length
    this.#parts.onRest(samples)
  }
}
