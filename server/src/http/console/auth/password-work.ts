// Checking a password takes work on purpose, so a client that signs in often could keep the machine busy: only a few hashes run at a
// time, beside the main thread, a few more wait, and the rest is refused.

import { availableParallelism } from 'node:os'
import { ServiceError } from '@sauti/protocol/errors'
import { hashPassword, verifyPassword } from 'better-auth/crypto'

/** At least half of the cores stay free for the recogniser. */
const MAX_RUNNING = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)))
const MAX_WAITING = 16
const RETRY_AFTER_SECONDS = 5

export interface PasswordWork {
  hash(password: string): Promise<string>
  verify(check: { hash: string; password: string }): Promise<boolean>
}

export function createPasswordWork(): PasswordWork {
  const queue = new WorkQueue(MAX_RUNNING, MAX_WAITING)
  return {
    hash: password => queue.run(() => hashPassword(password)),
    verify: check => queue.run(() => verifyPassword(check)),
  }
}

export class WorkQueue {
  readonly #maxRunning: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning
    this.#maxWaiting = maxWaiting
  }

  /** Throws sign_in_busy when too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#maxRunning) {
      this.#running += 1
      return
    }
    if (this.#waiting.length >= this.#maxWaiting)
      throw new ServiceError('sign_in_busy', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** The slot goes straight to the request that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running -= 1
  }
}
