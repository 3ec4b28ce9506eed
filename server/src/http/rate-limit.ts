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
}

export function createRateLimiter(name: string, most: number, windowSeconds = MINUTE_SECONDS): RateLimiter {
  const requestTimes = new Map<string, number[]>()

  /** The client's requests within the window, oldest first, as a list that may be changed. */
  function recall(client: string, nowMs: number): number[] {
    const times = requestTimes.get(client) ?? []
    requestTimes.delete(client)
    requestTimes.set(client, times)
    const firstInside = times.findIndex(time => time > nowMs - windowSeconds * 1000)
    times.splice(0, firstInside === -1 ? times.length : firstInside)
    if (requestTimes.size > MAX_CLIENTS) requestTimes.delete(requestTimes.keys().next().value!)
    return times
  }

  function stateOf(times: readonly number[], nowMs: number, allowed: boolean): RateState {
    const oldest = times[0] ?? nowMs - windowSeconds * 1000
    const nextSeconds = Math.ceil(oldest / 1000 + windowSeconds - nowMs / 1000)
    return { allowed, remaining: most - times.length, nextSeconds }
  }

  const policy = `"${name}";q=${most};w=${windowSeconds}`
  return {
    take(client, now) {
      const times = recall(client, now.getTime())
      const allowed = times.length < most
      if (allowed) times.push(now.getTime())
      return stateOf(times, now.getTime(), allowed)
    },
    giveBack(client, now) {
      const times = recall(client, now.getTime())
      times.pop()
      return stateOf(times, now.getTime(), true)
    },
    writeHeaders(reply, { remaining, nextSeconds }) {
      reply.header('ratelimit-policy', policy)
      reply.header('ratelimit', `"${name}";r=${remaining};t=${nextSeconds}`)
    },
  }
}
