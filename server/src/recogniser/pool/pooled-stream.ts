// The service's side of one stream: gathers frames of any size into whole chunks, sends the engine only a little ahead of what it has
// done, and turns its answers into events. `queuedSamples` counts what waits here.

import { chunkSamples, samplesToMs } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { Word } from '@sauti/protocol/stream'
import type { RecogniserEvent, RecogniserListener, RecogniserSettings, RecogniserStream } from '../port.ts'
import type { Control, FromStream, StreamItem } from './messages.ts'
import { Pace } from './schedule.ts'
import { StreamEvents } from './stream-events.ts'

/** Items with audio that the engine may have at a time: one in progress and one so that it need not wait for us. */
const MAX_SENT_AUDIO = 2
/** A reset must reach the engine while it has audio to drop; a second one can wait for the first. */
const MAX_SENT_CONTROLS = 1

/** What a stream needs of its engine. */
export interface EngineChannel {
  send(stream: number, item: StreamItem): void
  close(stream: number): void
  /** The stream's settings changed, and with them its part of the engine. */
  configured(stream: number, settings: RecogniserSettings): void
}

export class PooledStream implements RecogniserStream {
  readonly #id: number
  readonly #engine: EngineChannel
  readonly #now: () => number
  readonly #events = new StreamEvents()
  readonly #pace = new Pace()
  readonly #waiting: StreamItem[] = []
  #settings: RecogniserSettings
  #chunk: Int16Array<ArrayBuffer>
  #filled = 0
  #pushedSamples = 0
  #queuedSamples = 0
  #sentAudio = 0
  #sentControls = 0
  #text = ''
  #words: readonly Word[] = []
  #over = false
  #closed = false

  constructor(id: number, engine: EngineChannel, settings: RecogniserSettings, now: () => number) {
    this.#id = id
    this.#engine = engine
    this.#settings = settings
    this.#now = now
    this.#chunk = newChunk(settings)
  }

  get queuedSamples(): number {
    return this.#queuedSamples
  }

  listen(listener: RecogniserListener): void {
    this.#events.listen(listener)
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
    const merged = this.#takeLast('reset')
    this.#put({ type: 'reset', requests: 1, dueMs: this.#now(), ...repeated(merged) })
    this.#beginChunk()
  }

  configure(settings: RecogniserSettings): void {
    if (this.#over) return
    this.#settings = settings
    const merged = this.#takeLast('configure')
    this.#put({ type: 'configure', requests: 1, dueMs: this.#now(), ...repeated(merged), settings })
    this.#engine.configured(this.#id, settings)
    if (this.#filled === 0) this.#beginChunk()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#stop()
    this.#events.end()
    this.#engine.close(this.#id)
  }

  /** The engine is lost, or cannot go on with this stream. */
  fail(cause: Error): void {
    this.#stop()
    this.#events.fail(new ServiceError('engine_unavailable', { cause }))
  }

  /** An answer of the engine, in the order of what was sent. */
  receive(message: FromStream): void {
    switch (message.type) {
      case 'heard':
        this.#audioDone(message.samples)
        if (message.append !== '') this.#tellDelta(message)
        this.#events.emit({ type: 'progress' })
        break
      case 'final':
        this.#audioDone(message.samples)
        this.#beginText()
        this.#events.emit({
          type: 'final',
          text: message.text,
          words: message.words,
          audioMs: message.audioMs,
        })
        break
      case 'reset':
        this.#sentAudio -= message.chunks
        this.#queuedSamples -= message.samples
        this.#beginText()
        this.#controlDone({ type: 'reset' }, message.requests)
        break
      case 'configured':
        this.#controlDone({ type: 'configured' }, message.requests)
        break
      case 'broken':
        this.fail(new Error(message.problem))
        break
    }
  }

  #tellDelta({ append, words, audioMs }: Extract<FromStream, { type: 'heard' }>): void {
    this.#text += append
    this.#words = [...this.#words.slice(0, -1), ...words]
    this.#events.emit({ type: 'delta', text: this.#text, append, words: this.#words, audioMs })
  }

  #beginText(): void {
    this.#text = ''
    this.#words = []
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

  /** Takes back the newest item that the engine does not have yet, if it is of this kind. */
  #takeLast<Type extends StreamItem['type']>(type: Type): Extract<StreamItem, { type: Type }> | undefined {
    if (this.#waiting.at(-1)?.type !== type) return undefined
    return this.#waiting.pop() as Extract<StreamItem, { type: Type }>
  }

  #sendWaiting(): void {
    for (let item = this.#waiting[0]; item !== undefined; item = this.#waiting[0]) {
      if ('samples' in item) {
        if (this.#sentAudio === MAX_SENT_AUDIO) return
        this.#sentAudio++
      } else {
        if (this.#sentControls === MAX_SENT_CONTROLS) return
        this.#sentControls++
      }
      this.#waiting.shift()
      this.#engine.send(this.#id, item)
    }
  }

  #stop(): void {
    this.#over = true
    this.#waiting.length = 0
  }

  #audioDone(samples: number): void {
    this.#sentAudio--
    this.#queuedSamples -= samples
    this.#sendWaiting()
  }

  #controlDone(answer: RecogniserEvent, requests: number): void {
    this.#sentControls--
    this.#sendWaiting()
    for (let i = 0; i < requests; i++) this.#events.emit(answer)
  }
}

/** One more request joins those that wait already: it keeps their place and their time. */
function repeated(waiting: Control | undefined): Partial<Control> {
  return waiting === undefined ? {} : { requests: waiting.requests + 1, dueMs: waiting.dueMs }
}

function newChunk({ lookAhead }: RecogniserSettings): Int16Array<ArrayBuffer> {
  return new Int16Array(chunkSamples(lookAhead))
}
