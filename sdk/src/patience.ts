// When must a silent connection be taken for lost? A WebSocket of a browser tells nothing when the cable is cut, so we count.

import { BYTES_PER_SAMPLE, SAMPLES_PER_MS } from '@sauti/protocol/audio'

export class Patience {
  readonly #limitMs: number
  readonly #now: () => number
  #lastSignMs: number
  #busyUntilMs = 0
  #buffered = 0

  constructor(limitMs: number, now: () => number) {
    this.#limitMs = limitMs
    this.#now = now
    this.#lastSignMs = now()
  }

  /** The other side lives, or nobody waits for it. */
  sign(): void {
    this.#lastSignMs = this.#now()
  }

  /** The network lives when it takes bytes off the socket. */
  watchBuffer(bufferedBytes: number): void {
    if (bufferedBytes < this.#buffered) this.sign()
    this.#buffered = bufferedBytes
  }

  /** Audio on its way keeps the service busy, at the slowest for as long as it lasts. */
  sent(audioBytes: number): void {
    const lengthMs = audioBytes / BYTES_PER_SAMPLE / SAMPLES_PER_MS
    this.#busyUntilMs = Math.max(this.#now(), this.#busyUntilMs) + lengthMs
  }

  /** When the answer to a question that leaves now is overdue. */
  dueMs(): number {
    return Math.max(this.#now(), this.#busyUntilMs) + this.#limitMs
  }

  get exhausted(): boolean {
    return this.#now() - this.#lastSignMs > this.#limitMs
  }
}
