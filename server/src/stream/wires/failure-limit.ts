// Handshakes that fail are counted, by address or by the credential that was refused, so that guessing is slow and costs us little.

import { ServiceError } from '@sauti/protocol/errors'
import { RequestRate } from '../../network/request-rate.ts'
import { MAX_FAILURES_PER_MINUTE, MAX_REMEMBERED_ADDRESSES } from '../settings.ts'

export class FailureLimit {
  readonly #monotonicMs: () => number
  readonly #rate = new RequestRate({ most: MAX_FAILURES_PER_MINUTE, maxClients: MAX_REMEMBERED_ADDRESSES })

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** Throws request_rate_exceeded for one that has failed too often within a minute. */
  check(who: string): void {
    const { allowed, nextSeconds } = this.#rate.peek(who, new Date(this.#monotonicMs()))
    if (!allowed) throw new ServiceError('request_rate_exceeded', { retryAfterSeconds: nextSeconds })
  }

  note(who: string): void {
    this.#rate.take(who, new Date(this.#monotonicMs()))
  }
}
