// A recogniser that costs next to nothing: every piece of audio is answered by one delta at once. What is measured around it is
// the stream alone.

import { LOOK_AHEADS, samplesToMs } from '@sauti/protocol/audio'
import { MODEL_IDS } from '@sauti/protocol/models'
import type { Recogniser, RecogniserEvent, RecogniserStream } from '@sauti/server/recogniser/port.js'

export const ECHO_TEXT = 'wi mwega'

export function createEchoRecogniser(): Recogniser {
  return {
    models: MODEL_IDS,
    capacity: Number.MAX_SAFE_INTEGER,
    openStreams: 0,
    lookAheads: () => LOOK_AHEADS,
    open: async () => new EchoStream(),
    close: async () => undefined,
  }
}

const THE_END = { value: undefined, done: true } as const

class EchoStream implements RecogniserStream, AsyncIterableIterator<RecogniserEvent> {
  readonly queuedSamples = 0
  readonly #events: RecogniserEvent[] = []
  #heard = 0
  #closed = false
  #wake: ((result: IteratorResult<RecogniserEvent>) => void) | undefined

  push(samples: Int16Array): void {
    this.#heard += samples.length
    this.#emit({ type: 'delta', text: ECHO_TEXT, append: '', audioMs: samplesToMs(this.#heard) })
  }

  flush(): void {
    this.#emit({ type: 'final', text: ECHO_TEXT, words: [], audioMs: samplesToMs(this.#heard) })
  }

  reset(): void {
    this.#emit({ type: 'reset' })
  }

  configure(): void {
    // An echo has no settings.
  }

  get events(): AsyncIterable<RecogniserEvent> {
    return this
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** By hand, because a generator would cost more than all the rest of an echo. */
  next(): Promise<IteratorResult<RecogniserEvent>> {
    const event = this.#events.shift()
    if (this.#closed) return Promise.resolve(THE_END)
    if (event) return Promise.resolve({ value: event, done: false })
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  close(): void {
    this.#closed = true
    this.#wake?.(THE_END)
  }

  #emit(event: RecogniserEvent): void {
    const wake = this.#wake
    this.#wake = undefined
    if (wake) wake({ value: event, done: false })
    else this.#events.push(event)
  }
}
