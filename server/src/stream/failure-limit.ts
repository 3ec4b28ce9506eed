// Handshakes that fail are counted by address, so that guessing credentials is slow and costs us little.

import { ServiceError } from '@sauti/protocol/errors'
import { MAX_FAILURES_PER_MINUTE, MAX_REMEMBERED_ADDRESSES } from './settings.ts'

const WINDOW_MS = 60_000

interface Failures {
  count: number
  readonly sinceMs: number
}

export class FailureLimit {
  readonly #monotonicMs: () => number
  readonly #byAddress = new Map<string, Failures>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** Throws request_rate_exceeded for an address that has failed too often in its current minute. */
  check(address: string): void {
    const failures = this.#recent(address)
    if (!failures || failures.count < MAX_FAILURES_PER_MINUTE) return
    const leftMs = failures.sinceMs + WINDOW_MS - this.#monotonicMs()
    throw new ServiceError('request_rate_exceeded', { retryAfterSeconds: Math.ceil(leftMs / 1000) })
  }

  note(address: string): void {
    const failures = this.#recent(address)
    if (failures) failures.count += 1
    else this.#remember(address)
  }

  #recent(address: string): Failures | undefined {
    const failures = this.#byAddress.get(address)
    if (!failures || this.#monotonicMs() - failures.sinceMs < WINDOW_MS) return failures
    this.#byAddress.delete(address)
    return undefined
  }

  /** The map keeps the order of arrival, so the address that goes is the one whose minute ends first. */
  #remember(address: string): void {
    if (this.#byAddress.size >= MAX_REMEMBERED_ADDRESSES)
      this.#byAddress.delete(this.#byAddress.keys().next().value!)
    this.#byAddress.set(address, { count: 1, sinceMs: this.#monotonicMs() })
  }
}
