// Requests of a client that sends Opus. Its packets are decoded by another thread, and whatever the client asks for after a packet waits
// until that packet's sound is there.

import { ServiceError } from '@sauti/protocol/errors'
import type { OpusDecoders, OpusListener, OpusStream } from '../audio/opus-decoders.ts'
import { opusPacketSamples } from '../audio/opus-packet.ts'
import { Fifo } from '../socket/fifo.ts'
import type { DueRequest, StageRequest } from './stage.ts'

type Waiting = { readonly type: 'packet'; readonly samples: number } | StageRequest

export class OpusIntake {
  readonly #stream: OpusStream
  #waiting = new Fifo<Waiting>()
  #queuedSamples = 0
  #isFinishing = false
  #isChanging = false

  constructor(decoders: OpusDecoders, listener: OpusListener) {
    this.#stream = decoders.open(listener)
  }

  /** How much sound is still to come. */
  get queuedSamples(): number {
    return this.#queuedSamples
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** The client's last request waits here. */
  get isFinishing(): boolean {
    return this.#isFinishing
  }

  /** Settings wait here, perhaps another format: audio after them must not be read as packets. */
  get isChanging(): boolean {
    return this.#isChanging
  }

  /** True where the request must wait: decoded() gives it back. Throws undecodable_audio where nothing is before it. */
  take(request: StageRequest): boolean {
    if (request.type === 'audio') {
      if (request.bytes.length > 0) this.#push(request.bytes)
      return true
    }
    return this.#postpone(request)
  }

  #postpone(request: StageRequest): boolean {
    if (!this.isWaiting) return false
    if (request.type === 'finish') this.#isFinishing = true
    if (request.type === 'config') this.#isChanging = true
    this.#waiting.push(request)
    return true
  }

  /** The answer to the oldest packet: what is now due. */
  decoded(samples: Int16Array<ArrayBuffer> | undefined): readonly DueRequest[] {
    const due: DueRequest[] = [{ type: 'sound', samples }]
    const packet = this.#waiting.shift()
    if (packet?.type !== 'packet') throw new Error('a decoder answered without a question')
    this.#queuedSamples -= packet.samples
    for (let next = this.#waiting.peek(); next && next.type !== 'packet'; next = this.#waiting.peek()) {
      due.push(next)
      this.#waiting.shift()
    }
    // Both are the last that is taken, so they are due when nothing is left.
    if (!this.isWaiting) this.#isFinishing = this.#isChanging = false
    return due
  }

  /** Nothing that waits is wanted any more. */
  close(): void {
    this.#stream.close()
    this.#waiting = new Fifo()
    this.#queuedSamples = 0
  }

  #push(packet: Uint8Array): void {
    const samples = this.#measure(packet)
    if (samples === undefined) return
    this.#stream.push(packet)
    this.#waiting.push({ type: 'packet', samples })
    this.#queuedSamples += samples
  }
  /** Undefined where it is no packet, and is refused after what is before it. */
  #measure(packet: Uint8Array): number | undefined {
    try {
      return opusPacketSamples(packet)
    } catch (error) {
      if (!(error instanceof ServiceError) || !this.#postpone({ type: 'invalid', error })) throw error
      return undefined
    }
  }
}
