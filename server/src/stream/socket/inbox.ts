// Everything that happens to one connection, in one order and one at a time. Two lanes: what the client sent may be held back
// (back-pressure), what we must notice at once (engine, timers) is never held.

import { Fifo } from './fifo.ts'

export class Inbox<Frame, Signal> {
  readonly #handle: (input: Frame | Signal) => void
  readonly #frames = new Fifo<Frame>()
  readonly #signals = new Fifo<Signal>()
  #held = false
  #handling = false

  /** `handle` must not throw. What it puts in itself is handled after it has returned. */
  constructor(handle: (input: Frame | Signal) => void) {
    this.#handle = handle
  }

  /** Bounded by its reader: nothing waits unless the lane is held, and code that holds it also stops reading the socket. */
  putFrame(frame: Frame): void {
    if (this.#handling || this.#held) this.#frames.push(frame)
    else this.#work(frame)
  }

  putSignal(signal: Signal): void {
    if (this.#handling) this.#signals.push(signal)
    else this.#work(signal)
  }

  /** Frames wait until release(); signals still come through. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    if (!this.#handling) this.#work(this.#take())
  }

  /** Straight through where nothing waits: a frame costs no promise and no turn of the loop. */
  #work(first: Frame | Signal | undefined): void {
    this.#handling = true
    for (let input = first; input !== undefined; input = this.#take()) this.#handle(input)
    this.#handling = false
  }

  #take(): Frame | Signal | undefined {
    if (this.#signals.length > 0) return this.#signals.shift()
    return this.#held ? undefined : this.#frames.shift()
  }
}
