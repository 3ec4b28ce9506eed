// Distributes events: listeners by type, and loops over all of them.

import { EventQueue } from './event-queue.ts'

export class EventHub<Event extends { readonly type: string }> {
  readonly #listeners = new Map<string, Set<(event: never) => void>>()
  readonly #queues = new Set<EventQueue<Event>>()
  #end: { readonly failure: unknown } | undefined

  /** Returns the function that removes the listener. */
  on<T extends Event['type']>(type: T, listener: (event: Extract<Event, { type: T }>) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set()
    this.#listeners.set(type, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  iterate(): AsyncIterableIterator<Event> {
    const queue = new EventQueue<Event>(done => this.#queues.delete(done))
    if (this.#end) queue.end(this.#end.failure)
    else this.#queues.add(queue)
    return queue
  }

  emit(event: Event): void {
    for (const queue of this.#queues) queue.push(event)
    for (const listener of this.#listeners.get(event.type) ?? []) call(listener, event)
  }

  /** Every loop ends, or throws the failure. */
  end(failure: unknown): void {
    this.#end = { failure }
    for (const queue of this.#queues) queue.end(failure)
  }
}

/** An error in a listener is reported like any uncaught error, and affects neither the session nor other listeners. */
function call(listener: (event: never) => void, event: object): void {
  try {
    listener(event as never)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
