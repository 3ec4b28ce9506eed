// Events of a stream on their way to its one consumer. It stays small however slowly that one reads: what can be told together waits
// together. A listener never lets anything wait.

import type { RecogniserEvent, RecogniserEvents, RecogniserListener } from './port.ts'

export class EventQueue implements RecogniserEvents {
  readonly #events: RecogniserEvent[] = []
  #ended = false
  #failure: Error | undefined
  #listener: RecogniserListener | undefined
  #wake: (() => void) | undefined

  put(event: RecogniserEvent): void {
    if (this.#ended) return
    if (this.#listener === undefined) this.#keep(event)
    else this.#listener.onEvent(event)
  }

  /** Ends at once; nothing more is read. */
  end(): void {
    this.#ended = true
    this.#events.length = 0
    this.#wake?.()
  }

  /** What is in the queue is read first, then the reader meets the error. */
  fail(error: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = error
    this.#listener?.onLost(error)
    this.#wake?.()
  }

  listen(listener: RecogniserListener): void {
    this.#listener = listener
    for (const event of this.#events.splice(0)) listener.onEvent(event)
    if (this.#failure !== undefined) listener.onLost(this.#failure)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RecogniserEvent> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) yield event
      else if (this.#failure !== undefined) throw this.#failure
      else if (this.#ended) return
      else await this.#next()
    }
  }

  #keep(event: RecogniserEvent): void {
    const last = this.#events.at(-1)
    const merged = last === undefined ? undefined : merge(last, event)
    if (merged === undefined) this.#events.push(event)
    else this.#events[this.#events.length - 1] = merged
    this.#wake?.()
  }

  #next(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }
}

/** One event for two, where the reader loses nothing by it. */
function merge(last: RecogniserEvent, next: RecogniserEvent): RecogniserEvent | undefined {
  if (last.type === 'progress' && next.type === 'progress') return next
  if (last.type === 'delta' && next.type === 'delta') return { ...next, append: last.append + next.append }
  return undefined
}
