// How many connections each client has open.

import { ServiceError } from '@sauti/protocol/errors'

export class OpenCount {
  readonly #byClient = new Map<string, number>()

  /** Throws when the client has as many as it may have. */
  check(client: string, most: number): void {
    if (this.of(client) < most) return
    throw new ServiceError('request_rate_exceeded', {
      message: 'Too many connections are open from this address.',
    })
  }

  of(client: string): number {
    return this.#byClient.get(client) ?? 0
  }

  add(client: string): void {
    this.#byClient.set(client, this.of(client) + 1)
  }

  remove(client: string): void {
    const left = this.of(client) - 1
    if (left > 0) this.#byClient.set(client, left)
    else this.#byClient.delete(client)
  }
}
