// Events of a stream on their way to its one reader. It stays small however slowly the reader reads: what can be told together waits
// together.

import type { RecogniserEvent } from './port.ts'

export class EventQueue implements AsyncIterable<RecogniserEvent> {
  readonly #events: RecogniserEvent[] = []
  #ended = false
  #failure: Error | undefined
  #wake: (() => void) | undefined

  put(event: RecogniserEvent): void {
    if (this.#ended) return
    const last = this.#events.at(-1)
    const merged = last === undefined ? undefined : merge(last, event)
    if (merged === undefined) this.#events.push(event)
    else this.#events[this.#events.length - 1] = merged
    this.#wake?.()
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
    this.#wake?.()
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
