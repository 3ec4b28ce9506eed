// One stream of an agent: a continuous stream of ours behind LiveKit's interface. It handles rollover, reconnection and sending
// again by itself; LiveKit is told only about problems that stay.

import { type APIConnectOptions, stt } from '@livekit/agents'
import {
  type ContinuousFinal,
  type ContinuousStream,
  type ContinuousStreamOptions,
  openContinuousStream,
} from '@sauti/client'
import { toFinal, toInterim, toLiveKitError } from './events.ts'

const SAMPLE_RATE_HZ = 16_000

export class SpeechStream extends stt.SpeechStream {
  label = 'sauti.SpeechStream'
  readonly #model: string
  readonly #streamOptions: () => ContinuousStreamOptions
  #isSpeaking = false
  #usedMs = 0

  constructor(owner: stt.STT, streamOptions: () => ContinuousStreamOptions, connOptions?: APIConnectOptions) {
    super(owner, SAMPLE_RATE_HZ, connOptions)
    this.#model = owner.model
    this.#streamOptions = streamOptions
  }

  protected override async run(): Promise<void> {
    // LiveKit runs it again after a failure, and the times of a new stream begin at zero.
    this.#usedMs = 0
    const stream = openContinuousStream({ ...this.#streamOptions(), signal: this.abortSignal })
    this.#follow(stream)
    try {
      await this.#speak(stream)
      await stream.finish()
    } catch (error) {
      throw toLiveKitError(error)
    }
  }

  async #speak(stream: ContinuousStream): Promise<void> {
    for await (const item of this.input) {
      // The answer comes as a final; whoever flushes does not wait here.
      if (item === SpeechStream.FLUSH_SENTINEL) stream.flush().catch(() => undefined)
      else await stream.send(item.data)
    }
  }

  #follow(stream: ContinuousStream): void {
    stream.on('delta', delta => {
      if (delta.text === '') return
      this.#begin()
      this.#tell(toInterim(delta, this.#model, this.startTimeOffset))
    })
    stream.on('final', final => this.#finish(final))
  }

  #begin(): void {
    if (this.#isSpeaking) return
    this.#isSpeaking = true
    this.#tell({ type: stt.SpeechEventType.START_OF_SPEECH })
  }

  #finish(final: ContinuousFinal): void {
    if (final.text !== '') {
      this.#begin()
      this.#tell(toFinal(final, this.#model, this.startTimeOffset))
    }
    if (this.#isSpeaking) this.#tell({ type: stt.SpeechEventType.END_OF_SPEECH })
    this.#isSpeaking = false
    const audioDuration = (final.end_ms - this.#usedMs) / 1000
    this.#usedMs = final.end_ms
    this.#tell({ type: stt.SpeechEventType.RECOGNITION_USAGE, recognitionUsage: { audioDuration } })
  }

  #tell(event: stt.SpeechEvent): void {
    if (!this.queue.closed) this.queue.put(event)
  }
}
