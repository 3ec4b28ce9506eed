// Step 4 of one session, between the client and the recogniser: audio of any format becomes that of the wire, and is counted up to the
// limit of the reservation.

import { ENCODING, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import type { AudioSettings } from '@sauti/protocol/stream'
import { IncomingAudio } from '../audio/incoming-audio.ts'
import type { OpusDecoders, OpusListener } from '../audio/opus-decoders.ts'
import { notAPacket } from '../audio/opus-packet.ts'
import type { FinishReason } from '../connection/connection-state.ts'
import type { StreamMetrics } from '../metrics.ts'
import { admit, type HalfSample } from './gate.ts'
import type { Meter } from './meter.ts'
import { OpusIntake } from './opus-intake.ts'
import type { DueRequest, StageRequest } from './stage.ts'

export interface AudioIntakeParts {
  readonly opus: OpusDecoders
  /** Gets the decoded Opus packets, and passes them to decoded(). */
  readonly opusListener: OpusListener
  readonly meter: Meter
  readonly metrics: StreamMetrics
  /** Accepted audio. */
  readonly onAudio: (samples: Int16Array) => void
}

export class AudioIntake {
  readonly #parts: AudioIntakeParts
  #half: HalfSample
  /** Only where the client sends another format than that of the wire. */
  #converter: IncomingAudio | undefined
  /** Only where the client sends Opus. */
  #opus: OpusIntake | undefined

  constructor(parts: AudioIntakeParts) {
    this.#parts = parts
  }

  /** Sound that is still being decoded. */
  get queuedSamples(): number {
    return this.#opus?.queuedSamples ?? 0
  }

  /** Something waits for sound that is being decoded. */
  get isWaiting(): boolean {
    return this.#opus?.isWaiting ?? false
  }

  /** The client's last request waits. */
  get isFinishing(): boolean {
    return this.#opus?.isFinishing ?? false
  }

  /** Settings wait, perhaps another format. */
  get isChanging(): boolean {
    return this.#opus?.isChanging ?? false
  }

  /** True where the request must wait: decoded() gives it back. */
  postpone(request: StageRequest): boolean {
    return this.#opus?.take(request) ?? false
  }

  decoded(samples: Int16Array<ArrayBuffer> | undefined): readonly DueRequest[] {
    return this.#opus?.decoded(samples) ?? []
  }

  /** Converted before it is counted: what is billed is its time. */
  push(frame: Uint8Array): FinishReason | undefined {
    return this.#admit(this.#converter ? this.#converter.push(frame) : frame)
  }

  pushSound(samples: Int16Array<ArrayBuffer> | undefined): FinishReason | undefined {
    if (!samples) throw notAPacket()
    return this.#admit(new Uint8Array(samples.buffer))
  }

  /** What the converter has kept back belongs to the utterance that ends. */
  endUtterance(): void {
    if (this.#converter) this.#admit(this.#converter.flush())
  }

  /** Half a sample is unfinished audio too. */
  discardHalf(): void {
    this.#half = undefined
  }

  setFormat({ encoding, sample_rate_hz: sampleRateHz }: AudioSettings): void {
    this.discardHalf()
    this.close()
    this.#opus = undefined
    this.#converter = undefined
    if (encoding === 'opus') this.#opus = new OpusIntake(this.#parts.opus, this.#parts.opusListener)
    else if (encoding !== ENCODING || sampleRateHz !== SAMPLE_RATE_HZ)
      this.#converter = new IncomingAudio({ encoding, sampleRateHz, channels: 1 })
  }

  /** Packets that are not decoded yet are not accepted any more. */
  close(): void {
    this.#opus?.close()
  }

  #admit(frame: Uint8Array): FinishReason | undefined {
    const { meter, metrics, onAudio } = this.#parts
    const { samples, half, cut } = admit(this.#half, frame, meter.roomSamples)
    this.#half = half
    if (samples.length > 0) {
      meter.count(samples.length)
      metrics.countAudio(samples.length)
      onAudio(samples)
    }
    return cut ? 'audio_limit_reached' : undefined
  }
}
