// How many requests one client may make within a window: exact, and counted in the memory of this node. The one algorithm behind
// every limit of HTTP, of sign-in and of stream handshakes. By hand, because the limiters of npm count fixed windows, or forget clients
// at their limit when memory is full.

const MINUTE_SECONDS = 60
/** Above this many clients the one that was silent longest is forgotten. One that is at its limit is never forgotten for others. */
const MAX_CLIENTS = 20_000
/** How many are looked at to find one that may be forgotten: a longer search would let a flood slow down every request. */
const EVICTION_SEARCH = 32

export interface RateState {
  readonly allowed: boolean
  readonly remaining: number
  /** Until the oldest counted request leaves the window, and one more is allowed. */
  readonly nextSeconds: number
}

export interface RateRule {
  /** Most requests within the window. */
  readonly most: number
  readonly windowSeconds?: number
  /** How many clients are remembered. */
  readonly maxClients?: number
}

/** Requests of a client that were counted elsewhere. */
export interface OthersCount {
  readonly count: number
  /** When the oldest of them leaves the window. */
  readonly nextFreeMs: number
}

/** A client with a request within the window. */
export interface RecentClient extends OthersCount {
  readonly client: string
}

export class RequestRate {
  readonly #most: number
  readonly #windowMs: number
  readonly #maxClients: number
  /** In the order of their last request. */
  readonly #clients = new Map<string, number[]>()
  #othersOf: (client: string) => OthersCount | undefined = () => undefined

  constructor({ most, windowSeconds = MINUTE_SECONDS, maxClients = MAX_CLIENTS }: RateRule) {
    this.#most = most
    this.#windowMs = windowSeconds * 1000
    this.#maxClients = maxClients
  }

  /** Whether one more is allowed. Counts nothing. */
  peek(client: string, now: Date): RateState {
    const times = this.#recent(client, now.getTime())
    return this.#describe(client, times, now.getTime(), this.#isAllowed(client, times))
  }

  /** Counts one request of the client, if it is allowed. */
  take(client: string, now: Date): RateState {
    const nowMs = now.getTime()
    const times = this.#recent(client, nowMs)
    const allowed = this.#isAllowed(client, times)
    if (allowed) {
      times.push(nowMs)
      this.#remember(client, times, nowMs)
    }
    return this.#describe(client, times, nowMs, allowed)
  }

  /** Takes back the client's latest request, which turned out not to count. */
  giveBack(client: string, now: Date): RateState {
    const times = this.#recent(client, now.getTime())
    times.pop()
    return this.#describe(client, times, now.getTime(), true)
  }

  /** From here on requests of a client that others counted are added to its own. */
  countOthers(othersOf: (client: string) => OthersCount | undefined): void {
    this.#othersOf = othersOf
  }

  /** What was counted here, the latest client first. */
  recentClients(now: Date, most: number): RecentClient[] {
    const nowMs = now.getTime()
    const recent: RecentClient[] = []
    for (const client of [...this.#clients.keys()].reverse()) {
      const times = this.#recent(client, nowMs)
      if (recent.length >= most || times[0] === undefined) break
      recent.push({ client, count: times.length, nextFreeMs: times[0] + this.#windowMs })
    }
    return recent
  }

  #isAllowed(client: string, times: readonly number[]): boolean {
    return times.length + (this.#othersOf(client)?.count ?? 0) < this.#most
  }

  #recent(client: string, nowMs: number): number[] {
    const times = this.#clients.get(client) ?? []
    const firstCounted = times.findIndex(time => time > nowMs - this.#windowMs)
    times.splice(0, firstCounted === -1 ? times.length : firstCounted)
    return times
  }

  #remember(client: string, times: number[], nowMs: number): void {
    this.#clients.delete(client)
    this.#forgetSilent(nowMs)
    this.#clients.set(client, times)
  }

  /** Those at their limit go to the end of the order instead: a client that could make us forget them could go on guessing. */
  #forgetSilent(nowMs: number): void {
    let searched = 0
    for (const client of this.#clients.keys()) {
      if (this.#clients.size < this.#maxClients || ++searched > EVICTION_SEARCH) return
      const times = this.#recent(client, nowMs)
      this.#clients.delete(client)
      if (times.length >= this.#most) this.#clients.set(client, times)
    }
  }

  #describe(client: string, times: readonly number[], nowMs: number, allowed: boolean): RateState {
    const others = this.#othersOf(client)
    const oldest = times[0] === undefined ? [] : [times[0] + this.#windowMs]
    const nextFreeMs = Math.min(...oldest, ...(others ? [others.nextFreeMs] : []))
    return {
      allowed,
      remaining: Math.max(0, this.#most - times.length - (others?.count ?? 0)),
      nextSeconds: Number.isFinite(nextFreeMs) ? Math.max(0, Math.ceil((nextFreeMs - nowMs) / 1000)) : 0,
    }
  }
}
