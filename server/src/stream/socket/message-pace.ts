// How fast one client is read, by the number of its messages: each costs us the same however small it is, so a client that sends very
// many is read more slowly. Nothing is lost or refused. Audio at the pace of speech, or a file in frames of ordinary size, never reaches the limit.

import { MESSAGE_BURST, MESSAGES_PER_SECOND } from '../settings.ts'

export class MessagePace {
  readonly #monotonicMs: () => number
  #spent = 0
  #atMs: number

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
    this.#atMs = monotonicMs()
  }

  /** Counts a message. */
  take(cost: number): void {
    this.#recover()
    this.#spent += cost
  }

  /** How long the client must not be read; 0 while it is within its pace. */
  get waitMs(): number {
    if (this.#spent <= MESSAGE_BURST) return 0
    this.#recover()
    return Math.max(0, ((this.#spent - MESSAGE_BURST) * 1000) / MESSAGES_PER_SECOND)
  }

  #recover(): void {
    const nowMs = this.#monotonicMs()
    this.#spent = Math.max(0, this.#spent - ((nowMs - this.#atMs) * MESSAGES_PER_SECOND) / 1000)
    this.#atMs = nowMs
  }
}
