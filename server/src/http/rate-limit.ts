// Request rates: at most so many in a window, exactly, counted in the memory of this node. The headers follow the IETF
// draft "RateLimit header fields for HTTP".

import type { FastifyReply } from 'fastify'

const MINUTE_SECONDS = 60
/** A client is remembered for a window; beyond this many at once the longest silent one is forgotten, so memory is bounded. */
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
  /** The same headers as names and values in turn. */
  listHeaders(state: RateState): string[]
}

export function createRateLimiter(name: string, most: number, windowSeconds = MINUTE_SECONDS): RateLimiter {
  const clients = new Map<string, RecentTimes>()

  /** What is counted of the client now; it becomes the last to be forgotten. */
  function recall(client: string, nowMs: number): RecentTimes {
    const times = clients.get(client) ?? new RecentTimes()
    clients.delete(client)
    clients.set(client, times)
    times.forgetUntil(nowMs - windowSeconds * 1000)
    if (clients.size > MAX_CLIENTS) clients.delete(clients.keys().next().value!)
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
    listHeaders: state => ['ratelimit-policy', policy, 'ratelimit', describe(state)],
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
