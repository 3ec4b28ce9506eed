// How many sessions may be open at once is decided by the account: we find out by being refused, and then wait for one of our
// own to end. Where none of the open ones is ours, the refusal is passed on.

import { SautiApiError } from '../errors.ts'
import { waitMs } from '../wait.ts'

/** A session is settled just after it was closed: shortly after one of ours, a refusal may only mean that it is not settled yet. */
const SETTLING_MS = 2_000
const SETTLING_POLL_MS = 100

export class SessionSlots {
  #open = 0
  #limit = Number.POSITIVE_INFINITY
  #lastReleaseMs = Number.NEGATIVE_INFINITY
  readonly #waiting: (() => void)[] = []
  readonly #wait: (ms: number) => Promise<void>
  readonly #now: () => number

  constructor(wait: (ms: number) => Promise<void> = waitMs, now: () => number = () => performance.now()) {
    this.#wait = wait
    this.#now = now
  }

  /** Creates a session as soon as there is room for one; `release` it when it has ended. Waits no longer than the signal allows. */
  async acquire<T>(create: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      while (this.#open >= this.#limit) await this.#turn(signal)
      this.#open += 1
      try {
        return await create()
      } catch (error) {
        this.#open -= 1
        await this.#makeRoom(error)
      }
    }
  }

  release(): void {
    this.#lastReleaseMs = this.#now()
    this.#open -= 1
    this.#wakeNext()
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1)
        reject(signal?.reason)
      }
      const take = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.push(take)
    })
  }

  /** Waits where waiting helps, or throws the error. */
  async #makeRoom(error: unknown): Promise<void> {
    const isFull = error instanceof SautiApiError && error.code === 'concurrency_limit_exceeded'
    if (isFull && this.#now() - this.#lastReleaseMs < SETTLING_MS) return this.#wait(SETTLING_POLL_MS)
    if (isFull && this.#open > 0) {
      this.#limit = this.#open
      return
    }
    // Others must not wait for a caller that has given up.
    this.#wakeNext()
    throw error
  }

  #wakeNext(): void {
    this.#waiting.shift()?.()
  }
}
