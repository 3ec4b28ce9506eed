// Which clients are still there: one sweep over all open connections pings them and ends those that are silent, idle or too old.

import { SPENT_TIMEOUT_MS, type StreamSettings, sweepIntervalMs, UNREAD_TIMEOUT_MS } from '../settings.ts'

/** What is known of a connection's client. Times are of the monotonic clock. Only the link writes it. */
export interface Liveness {
  readonly openedAtMs: number
  /** How long it may stay open; unknown until its session is. */
  wallClockMs: number
  /** Last data or ping frame of the client; pongs are answers to us and do not count. */
  lastFrameAtMs: number
  lastPingAtMs: number
  /** Our pings since we last heard anything at all. */
  unansweredPings: number
  /** Set while we do not read the client: what it sends, pongs included, stays unread, and that is not its fault. */
  paused: boolean
  /** The client waits for us, as it does from the start until ready: it may be silent for as long as we work. */
  busy: boolean
  /** The reservation is used up, no more audio can follow. */
  spent: boolean
  /** Since when events have been waiting for the client to read. */
  unreadSinceMs: number | undefined
}

export type Verdict =
  | 'alive'
  | 'ping'
  | 'client_vanished'
  | 'idle_timeout'
  | 'session_timeout'
  | 'slow_consumer'
  | 'audio_limit_reached'

const MISSED_PINGS = 2

export function startLiveness(nowMs: number): Liveness {
  return {
    openedAtMs: nowMs,
    wallClockMs: Number.POSITIVE_INFINITY,
    lastFrameAtMs: nowMs,
    lastPingAtMs: nowMs,
    unansweredPings: 0,
    paused: false,
    busy: true,
    spent: false,
    unreadSinceMs: undefined,
  }
}

export function judge(liveness: Readonly<Liveness>, nowMs: number, settings: StreamSettings): Verdict {
  if (nowMs - liveness.openedAtMs >= liveness.wallClockMs) return 'session_timeout'
  if (isOlder(liveness.unreadSinceMs, nowMs, UNREAD_TIMEOUT_MS)) return 'slow_consumer'
  const waitsForClient = !liveness.paused && !liveness.busy
  if (waitsForClient && isOlder(liveness.lastFrameAtMs, nowMs, settings.idleTimeoutMs)) return 'idle_timeout'
  if (waitsForClient && liveness.spent && isOlder(liveness.lastFrameAtMs, nowMs, SPENT_TIMEOUT_MS)) {
    return 'audio_limit_reached'
  }
  if (nowMs - liveness.lastPingAtMs < settings.pingIntervalMs) return 'alive'
  return liveness.unansweredPings >= MISSED_PINGS ? 'client_vanished' : 'ping'
}

function isOlder(sinceMs: number | undefined, nowMs: number, limitMs: number): boolean {
  return sinceMs !== undefined && nowMs - sinceMs >= limitMs
}

/** While we do not read, a ping still keeps proxies from closing the connection and finds a broken one, but is not counted as missed. */
export function notePing(liveness: Liveness, nowMs: number): void {
  liveness.lastPingAtMs = nowMs
  liveness.unansweredPings = liveness.paused ? 0 : liveness.unansweredPings + 1
}

/** A data or ping frame. */
export function noteFrame(liveness: Liveness, nowMs: number): void {
  liveness.lastFrameAtMs = nowMs
  liveness.unansweredPings = 0
}

export interface Watched {
  readonly liveness: Readonly<Liveness>
  ping(): void
  end(verdict: Exclude<Verdict, 'alive' | 'ping'>): void
}

export interface Keepalive {
  watch(connection: Watched): void
  unwatch(connection: Watched): void
  stop(): void
}

export function startKeepalive(settings: StreamSettings, monotonicMs: () => number): Keepalive {
  const watched = new Set<Watched>()
  const timer = setInterval(() => {
    const nowMs = monotonicMs()
    for (const connection of watched) sweep(connection, nowMs, settings)
  }, sweepIntervalMs(settings))
  return {
    watch: connection => void watched.add(connection),
    unwatch: connection => void watched.delete(connection),
    stop: () => clearInterval(timer),
  }
}

function sweep(connection: Watched, nowMs: number, settings: StreamSettings): void {
  const verdict = judge(connection.liveness, nowMs, settings)
  if (verdict === 'ping') connection.ping()
  else if (verdict !== 'alive') connection.end(verdict)
}
