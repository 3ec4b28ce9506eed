// Delivers the events of one stream to its listener. What happens before there is a listener is kept for it.

import type { RecogniserEvent, RecogniserListener } from '../port.ts'

export class StreamEvents {
  readonly #early: RecogniserEvent[] = []
  #ended = false
  #failure: Error | undefined
  #listener: RecogniserListener | undefined

  emit(event: RecogniserEvent): void {
    if (this.#ended) return
    if (this.#listener === undefined) this.#early.push(event)
    else this.#listener.onEvent(event)
  }

  /** Nothing is delivered from here on. */
  end(): void {
    this.#ended = true
    this.#early.length = 0
  }

  /** The last call to the listener. */
  fail(error: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = error
    this.#listener?.onLost(error)
  }

  listen(listener: RecogniserListener): void {
    this.#listener = listener
    for (const event of this.#early.splice(0)) listener.onEvent(event)
    if (this.#failure !== undefined) listener.onLost(this.#failure)
  }
}
