// The service's side of one stream: gathers frames of any size into whole chunks, sends the engine only a little ahead of what it has
// done, and turns its answers into events. What waits here is what `queuedSamples` counts.

import { chunkSamples, samplesToMs } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import { EventQueue } from './event-queue.ts'
import type { FromStream, StreamItem } from './messages.ts'
import type { RecogniserEvents, RecogniserSettings, RecogniserStream } from './port.ts'
import { Pace } from './schedule.ts'

/** Items with audio that the engine may have at a time: one that it does and one so that it need not wait for us. */
const MAX_SENT = 2

/** What a stream needs of its engine. */
export interface EngineDoor {
  send(stream: number, item: StreamItem): void
  close(stream: number): void
  /** The stream's settings changed, and with them its part of the engine. */
  configured(stream: number, settings: RecogniserSettings): void
}

export class PooledStream implements RecogniserStream {
  readonly events: RecogniserEvents
  readonly #id: number
  readonly #engine: EngineDoor
  readonly #now: () => number
  readonly #queue = new EventQueue()
  readonly #pace = new Pace()
  readonly #waiting: StreamItem[] = []
  #settings: RecogniserSettings
  #chunk: Int16Array<ArrayBuffer>
  #filled = 0
  #pushedSamples = 0
  #queuedSamples = 0
  #sent = 0
  #text = ''
  #over = false
  #closed = false

  constructor(id: number, engine: EngineDoor, settings: RecogniserSettings, now: () => number) {
    this.#id = id
    this.#engine = engine
    this.#settings = settings
    this.#now = now
    this.#chunk = newChunk(settings)
    this.events = this.#queue
  }

  get queuedSamples(): number {
    return this.#queuedSamples
  }

  push(samples: Int16Array): void {
    if (this.#over) return
    this.#queuedSamples += samples.length
    for (let rest = samples; rest.length > 0; ) {
      const part = rest.subarray(0, this.#chunk.length - this.#filled)
      this.#chunk.set(part, this.#filled)
      this.#filled += part.length
      this.#pushedSamples += part.length
      rest = rest.subarray(part.length)
      if (this.#filled === this.#chunk.length) this.#sendChunk()
    }
  }

  flush(): void {
    const samples = this.#chunk.slice(0, this.#filled)
    const dueMs = this.#pace.take(this.#now(), samplesToMs(samples.length))
    this.#put({ type: 'flush', samples, start: this.#pushedSamples - samples.length, dueMs })
    this.#beginChunk()
  }

  reset(): void {
    let dropped = this.#filled
    for (let last = this.#waiting.at(-1); last?.type === 'audio'; last = this.#waiting.at(-1)) {
      dropped += last.samples.length
      this.#waiting.pop()
    }
    this.#queuedSamples -= dropped
    this.#put({ type: 'reset' })
    this.#beginChunk()
  }

  configure(settings: RecogniserSettings): void {
    if (this.#over) return
    this.#settings = settings
    this.#put({ type: 'configure', settings })
    this.#engine.configured(this.#id, settings)
    if (this.#filled === 0) this.#beginChunk()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#stop()
    this.#queue.end()
    this.#engine.close(this.#id)
  }

  /** The engine is lost, or cannot go on with this stream. */
  fail(cause: Error): void {
    this.#stop()
    this.#queue.fail(new ServiceError('engine_unavailable', { cause }))
  }

  /** An answer of the engine, in the order of what was sent. */
  receive(message: FromStream): void {
    switch (message.type) {
      case 'heard':
        this.#done(message.samples)
        if (message.append !== '') this.#tellDelta(message.append, message.audioMs)
        this.#queue.put({ type: 'progress' })
        break
      case 'final':
        this.#done(message.samples)
        this.#text = ''
        this.#queue.put({
          type: 'final',
          text: message.text,
          words: message.words,
          audioMs: message.audioMs,
        })
        break
      case 'reset':
        this.#sent -= message.chunks
        this.#queuedSamples -= message.samples
        this.#sendWaiting()
        this.#text = ''
        this.#queue.put({ type: 'reset' })
        break
      case 'broken':
        this.fail(new Error(message.problem))
        break
    }
  }

  #tellDelta(append: string, audioMs: number): void {
    this.#text += append
    this.#queue.put({ type: 'delta', text: this.#text, append, audioMs })
  }

  #sendChunk(): void {
    const samples = this.#chunk
    const dueMs = this.#pace.take(this.#now(), samplesToMs(samples.length))
    this.#put({ type: 'audio', samples, start: this.#pushedSamples - samples.length, dueMs })
    this.#beginChunk()
  }

  #beginChunk(): void {
    this.#filled = 0
    this.#chunk = newChunk(this.#settings)
  }

  #put(item: StreamItem): void {
    if (this.#over) return
    this.#waiting.push(item)
    this.#sendWaiting()
  }

  #sendWaiting(): void {
    for (let item = this.#waiting[0]; item !== undefined; item = this.#waiting[0]) {
      const hasAudio = 'samples' in item
      if (hasAudio && this.#sent === MAX_SENT) return
      if (hasAudio) this.#sent++
      this.#waiting.shift()
      this.#engine.send(this.#id, item)
    }
  }

  #stop(): void {
    this.#over = true
    this.#waiting.length = 0
  }

  #done(samples: number): void {
    this.#sent--
    this.#queuedSamples -= samples
    this.#sendWaiting()
  }
}

function newChunk({ lookAhead }: RecogniserSettings): Int16Array<ArrayBuffer> {
  return new Int16Array(chunkSamples(lookAhead))
}
