// What the clients of one account were told: acknowledged, refused, or never answered. The oracle knows nothing else of a history.

import type { CreditBalance } from '@sauti/protocol/http'

type Certainty = 'no' | 'maybe' | 'yes'

/** How a stream ended, as far as its client knows. */
export type ToldEnd =
  /** Its own close was answered: everything that it sent was taken. */
  | 'closed'
  /** The service closed it for a reason that is billed: a limit, a revoked key, an idle or slow client. */
  | 'ended'
  /** The client broke the protocol. */
  | 'client fault'
  | 'service fault'
  /** The connection was lost, or is not over. */
  | 'unknown'

/** One request that makes one session at most. */
export interface Attempt {
  readonly type: 'reservation' | 'file' | 'metered'
  readonly idempotencyKey?: string | undefined
  /** Named by an answer. */
  sessionId: string | undefined
  /** Some request for it was not answered: the service may take that one later, and where its key is forgotten by then, make another. */
  mayBeTakenAgain: boolean
  /** Whether a session exists for certain, named or not. */
  exists: boolean
  expiresAtMs: number
  cancelled: Certainty
  opened: Certainty
  end: ToldEnd
  /** It broke the protocol, and may not have been told the result. */
  brokeProtocol: boolean
  /** A file that was answered with an error. */
  isRefused: boolean
  /** What an answer said that it will cost at least, and what it can cost at most. */
  leastBilledMs: number
  mostBilledMs: number
}

interface UsageRead {
  readonly availableMs: number
  readonly reservedMs: number
  readonly consumedMs: number
  readonly sessionIds: readonly string[]
  /** What was acknowledged before it was asked for. */
  readonly knownIds: readonly string[]
  readonly leastGrantedMs: number
}

interface Grant {
  readonly ms: number
  readonly isCertain: boolean
}

export interface Told {
  readonly attempts: Attempt[]
  readonly grants: Grant[]
  readonly reads: UsageRead[]
  /** Keys that were revoked for certain. */
  readonly revokedKeyIds: string[]
  /** Reservations that could not be opened before their time was over. */
  readonly lostReservations: string[]
  /** What an answer said that can never be right. */
  readonly wrongAnswers: string[]
}

export function beginTelling(creditMs: number): Told {
  return {
    attempts: [],
    grants: [{ ms: creditMs, isCertain: true }],
    reads: [],
    revokedKeyIds: [],
    lostReservations: [],
    wrongAnswers: [],
  }
}

export function beginAttempt(
  type: Attempt['type'],
  mostBilledMs: number,
  idempotencyKey?: string | undefined,
): Attempt {
  return {
    type,
    idempotencyKey,
    sessionId: undefined,
    mayBeTakenAgain: false,
    exists: false,
    expiresAtMs: Number.POSITIVE_INFINITY,
    cancelled: 'no',
    opened: type === 'reservation' ? 'no' : 'maybe',
    end: 'unknown',
    brokeProtocol: false,
    isRefused: false,
    leastBilledMs: 0,
    mostBilledMs,
  }
}

/** The answer that creates a session names it. */
export function noteCreated(attempt: Attempt, sessionId: string): void {
  attempt.sessionId = sessionId
  attempt.exists = true
}

/** It was answered to its end, and so is billed in full. */
export function noteCompleted(attempt: Attempt): void {
  attempt.opened = 'yes'
  attempt.end = 'closed'
  attempt.leastBilledMs = attempt.mostBilledMs
}

export function noteUsage(
  { available_ms, reserved_ms, consumed_ms, recent_sessions }: CreditBalance,
  knownIds: readonly string[],
  leastGrantedMs: number,
): UsageRead {
  return {
    availableMs: available_ms,
    reservedMs: reserved_ms,
    consumedMs: consumed_ms,
    sessionIds: recent_sessions.map(session => session.id),
    knownIds,
    leastGrantedMs,
  }
}

export function grantedRange({ grants }: Told): { leastMs: number; mostMs: number } {
  const sum = (some: readonly Grant[]) => some.reduce((total, { ms }) => total + ms, 0)
  return { leastMs: sum(grants.filter(grant => grant.isCertain)), mostMs: sum(grants) }
}
