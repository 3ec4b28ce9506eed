// Request rates: at most so many in a window, exactly, counted in the memory of this node. The headers follow the IETF
// draft "RateLimit header fields for HTTP".

import type { FastifyReply } from 'fastify'

const MINUTE_SECONDS = 60
/** A client is remembered for a window; beyond this many at once those that were silent longest are forgotten, so memory is bounded. */
const MAX_CLIENTS = 20_000

export interface RateState {
  readonly allowed: boolean
  readonly remaining: number
  /** Until the oldest counted request leaves the window, and with it one more is allowed. */
  readonly nextSeconds: number
}

export interface RateLimiter {
  /** Counts one request of the client, if it is allowed. */
  take(client: string, now: Date): RateState
  /** Takes back the client's latest: a replay does not count. */
  giveBack(client: string, now: Date): RateState
  writeHeaders(reply: FastifyReply, state: RateState): void
  /** For who writes the headers itself: those that never change, names and values in turn, and the value of `ratelimit`. */
  readonly constantHeaders: readonly string[]
  describe(state: RateState): string
}

export function createRateLimiter(name: string, most: number, windowSeconds = MINUTE_SECONDS): RateLimiter {
  // Two generations: who is heard of stays in the young one, and when that is full the silent rest of the old one is forgotten.
  // To keep all in the order of their last request would cost a delete and an insert for every request.
  let young = new Map<string, RecentTimes>()
  let old = new Map<string, RecentTimes>()

  /** What is counted of the client now. */
  function recall(client: string, nowMs: number): RecentTimes {
    const times = young.get(client) ?? rejuvenate(client)
    times.forgetUntil(nowMs - windowSeconds * 1000)
    return times
  }

  function rejuvenate(client: string): RecentTimes {
    const times = old.get(client) ?? new RecentTimes()
    if (young.size >= MAX_CLIENTS / 2) {
      old = young
      young = new Map()
    }
    young.set(client, times)
    return times
  }

  function stateOf(times: RecentTimes, nowMs: number, allowed: boolean): RateState {
    const waitMs = times.oldest === undefined ? 0 : times.oldest + windowSeconds * 1000 - nowMs
    return { allowed, remaining: most - times.count, nextSeconds: Math.ceil(waitMs / 1000) }
  }

  const describe = ({ remaining, nextSeconds }: RateState) => `"${name}";r=${remaining};t=${nextSeconds}`
  const policy = `"${name}";q=${most};w=${windowSeconds}`
  return {
    take(client, now) {
      const times = recall(client, now.getTime())
      const allowed = times.count < most
      if (allowed) times.add(now.getTime())
      return stateOf(times, now.getTime(), allowed)
    },
    giveBack(client, now) {
      const times = recall(client, now.getTime())
      times.removeLatest()
      return stateOf(times, now.getTime(), true)
    },
    writeHeaders(reply, state) {
      reply.header('ratelimit-policy', policy).header('ratelimit', describe(state))
    },
    constantHeaders: ['ratelimit-policy', policy],
    describe,
  }
}

/** A queue of moments. Taking from its front is a step of an index, so that a rate of thousands costs as little as one of ten. */
class RecentTimes {
  #times: number[] = []
  #first = 0

  get count(): number {
    return this.#times.length - this.#first
  }

  get oldest(): number | undefined {
    return this.#times[this.#first]
  }

  add(timeMs: number): void {
    this.#times.push(timeMs)
  }

  removeLatest(): void {
    if (this.count > 0) this.#times.pop()
  }

  forgetUntil(timeMs: number): void {
    while (this.count > 0 && this.#times[this.#first]! <= timeMs) this.#first++
    if (this.#first * 2 <= this.#times.length) return
    this.#times = this.#times.slice(this.#first)
    this.#first = 0
  }
}
