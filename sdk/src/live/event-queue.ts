// From events that happen to events that are awaited: one queue for each `for await` over a live session.

import { createDeferred, type Deferred } from '../deferred.ts'

export class EventQueue<T> implements AsyncIterableIterator<T> {
  readonly #events: T[] = []
  #waiting: Deferred<IteratorResult<T>>[] = []
  #ended = false
  #failure: unknown
  readonly #onReturn: (queue: EventQueue<T>) => void

  constructor(onReturn: (queue: EventQueue<T>) => void) {
    this.#onReturn = onReturn
  }

  push(event: T): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting.resolve({ value: event, done: false })
    else this.#events.push(event)
  }

  /** What was pushed before is still read; then the loop ends, or throws the failure. */
  end(failure?: unknown): void {
    this.#ended = true
    this.#failure = failure
    for (const waiting of this.#waiting.splice(0)) this.#settle(waiting)
  }

  next(): Promise<IteratorResult<T>> {
    const deferred = createDeferred<IteratorResult<T>>()
    const event = this.#events.shift()
    if (event !== undefined) deferred.resolve({ value: event, done: false })
    else if (this.#ended) this.#settle(deferred)
    else this.#waiting.push(deferred)
    return deferred.promise
  }

  return(): Promise<IteratorResult<T>> {
    this.#onReturn(this)
    this.#events.length = 0
    this.end()
    return Promise.resolve({ value: undefined, done: true })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** A failure is thrown once; later reads find the queue finished. */
  #settle(deferred: Deferred<IteratorResult<T>>): void {
    if (this.#failure === undefined) deferred.resolve({ value: undefined, done: true })
    else deferred.reject(this.#failure)
    this.#failure = undefined
  }
}
