// The rate of a route, reported in its headers as the IETF draft "RateLimit header fields for HTTP" defines them.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyReply } from 'fastify'
import { type RateState, RequestRate } from '../network/request-rate.ts'
import type { SharedRates } from '../nodes/shared-rates.ts'

const WINDOW_SECONDS = 60

export class RouteRate extends RequestRate {
  readonly #name: string
  readonly #policy: string

  /** `most` requests per minute; where clients are accounts, over all nodes that share their counts. */
  constructor(name: string, most: number, shared?: SharedRates) {
    super({ most, windowSeconds: WINDOW_SECONDS })
    shared?.share(name, this)
    this.#name = name
    this.#policy = `"${name}";q=${most};w=${WINDOW_SECONDS}`
  }

  writeHeaders(reply: FastifyReply, { remaining, nextSeconds }: RateState): void {
    reply
      .header('ratelimit-policy', this.#policy)
      .header('ratelimit', `"${this.#name}";r=${remaining};t=${nextSeconds}`)
  }

  /** Counts the request and reports the rate in the headers; throws request_rate_exceeded. */
  require(client: string, now: Date, reply: FastifyReply): void {
    const state = this.take(client, now)
    this.writeHeaders(reply, state)
    if (!state.allowed)
      throw new ServiceError('request_rate_exceeded', { retryAfterSeconds: state.nextSeconds })
  }
}
