// Everything that happens to one connection, merged into one ordered stream that the connection's loop reads. Two lanes: what
// the client sent may be held back (back-pressure), what we must notice at once (engine, timers) is never held.

import { Fifo } from './fifo.ts'

export class Inbox<Frame, Signal> implements AsyncIterable<Frame | Signal> {
  readonly #frames = new Fifo<Frame>()
  readonly #signals = new Fifo<Signal>()
  #held = false
  #wake: (() => void) | undefined

  /** Bounded by its reader: the loop never waits inside, and whoever holds the lane also stops reading the socket. */
  putFrame(frame: Frame): void {
    this.#frames.push(frame)
    this.#notify()
  }

  putSignal(signal: Signal): void {
    this.#signals.push(signal)
    this.#notify()
  }

  /** Frames wait until release(); signals still come through. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#notify()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame | Signal, never, undefined> {
    for (;;) {
      const input = this.#take()
      if (input === undefined) await this.#arrival()
      else yield input
    }
  }

  #take(): Frame | Signal | undefined {
    if (this.#signals.length > 0) return this.#signals.shift()
    return this.#held ? undefined : this.#frames.shift()
  }

  #arrival(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  #notify(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}
