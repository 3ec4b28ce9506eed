// Reads the events of a recogniser's stream one after the other.

import type { RecogniserEvent, RecogniserListener, RecogniserStream } from '#server/recogniser/port.js'

const readers = new WeakMap<RecogniserStream, EventReader>()

/** Every event up to and including the one that `isLast` accepts, from where the last call ended. Rejects if the engine is lost first. */
export async function readUntil(
  stream: RecogniserStream,
  isLast: (event: RecogniserEvent) => boolean,
): Promise<RecogniserEvent[]> {
  const reader = readers.get(stream) ?? new EventReader(stream)
  readers.set(stream, reader)
  const read: RecogniserEvent[] = []
  for (;;) {
    const event = await reader.next()
    read.push(event)
    if (isLast(event)) return read
  }
}

class EventReader implements RecogniserListener {
  readonly #events: RecogniserEvent[] = []
  #lost: Error | undefined
  #wake: () => void = () => undefined

  constructor(stream: RecogniserStream) {
    stream.listen(this)
  }

  onEvent(event: RecogniserEvent): void {
    this.#events.push(event)
    this.#wake()
  }

  onLost(error: Error): void {
    this.#lost = error
    this.#wake()
  }

  async next(): Promise<RecogniserEvent> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return event
      if (this.#lost !== undefined) throw this.#lost
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }
}
