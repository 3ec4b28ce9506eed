// The model of the ledger: from what the clients of an account were told follows what its books may hold. Pure.

import { CREDENTIAL_LIFETIME_SECONDS } from '@sauti/protocol/http'
import { type Attempt, grantedRange, type Told } from './told.ts'

export interface SeenSession {
  readonly id: string
  readonly status: 'reserved' | 'active' | 'completed' | 'failed' | 'expired'
  readonly reservedMs: number
  readonly billableMs: number
}

/** An account as the database has it. */
export interface Seen {
  readonly grantedMs: number
  readonly availableMs: number
  readonly reservedMs: number
  readonly consumedMs: number
  readonly sessions: readonly SeenSession[]
  readonly revokedKeyIds: readonly string[]
}

export interface Circumstances {
  /** The service, an engine or the database failed: open sessions may have failed, unbilled. */
  readonly serviceMayFail: boolean
  /** A node may be declared dead by the others: then they end its sessions, unbilled, whatever it told its clients meanwhile. */
  readonly nodesMayBeLost: boolean
  /** Reservations may end early, and idempotency keys be forgotten. */
  readonly clockJumps: boolean
  /** Enough time has passed that every reservation is over. */
  readonly isReleased: boolean
}

/** Everything that is wrong, in words; empty when nothing is. */
export function judge(told: Told, seen: Seen, circumstances: Circumstances): string[] {
  return [
    ...told.wrongAnswers,
    ...(circumstances.clockJumps || circumstances.nodesMayBeLost ? [] : told.lostReservations).map(
      name => `lost: reservation ${name} could not be opened`,
    ),
    ...judgeSessions(told, seen, circumstances),
    ...judgeKeys(told, circumstances),
    ...judgeBalance(told, seen),
    ...judgeReads(told),
    ...told.revokedKeyIds
      .filter(id => !seen.revokedKeyIds.includes(id))
      .map(id => `lost: key ${id} was revoked and is usable`),
  ]
}

/** Whether this session can be what this attempt made. */
function isPossible(attempt: Attempt, session: SeenSession, circumstances: Circumstances): boolean {
  const { status, billableMs } = session
  switch (status) {
    case 'reserved':
      return mayBeHeld(attempt, circumstances) && attempt.opened !== 'yes' && attempt.cancelled !== 'yes'
    case 'active':
      return false
    case 'expired':
      return billableMs === 0 && attempt.opened !== 'yes' && !isBilledForCertain(attempt)
    case 'completed':
      return mayComplete(attempt) && isWithinBill(attempt, billableMs)
    case 'failed':
      return mayFail(attempt, billableMs, circumstances)
  }
}

/** A reservation that was made while the clock was ahead is held for that long, unless its client knows it and gives it back. */
function mayBeHeld({ sessionId }: Attempt, { isReleased, clockJumps }: Circumstances): boolean {
  return !isReleased || (clockJumps && sessionId === undefined)
}

function mayComplete({ opened, cancelled, end, isRefused }: Attempt): boolean {
  return (
    opened !== 'no' &&
    cancelled !== 'yes' &&
    !isRefused &&
    (end === 'closed' || end === 'ended' || end === 'unknown')
  )
}

function mayFail(attempt: Attempt, billableMs: number, circumstances: Circumstances): boolean {
  const { serviceMayFail, nodesMayBeLost } = circumstances
  if (attempt.opened === 'no' || attempt.cancelled === 'yes') return false
  if (nodesMayBeLost && billableMs === 0) return true
  switch (attempt.end) {
    case 'client fault':
      return isWithinBill(attempt, billableMs)
    case 'service fault':
      return billableMs === 0
    case 'unknown':
      if (attempt.brokeProtocol && isWithinBill(attempt, billableMs)) return true
      // A file whose upload breaks off is refused like any other that cannot be read.
      return billableMs === 0 && (serviceMayFail || attempt.isRefused || attempt.type === 'file')
    case 'closed':
    case 'ended':
      return false
  }
}

function isBilledForCertain({ end, leastBilledMs }: Attempt): boolean {
  return leastBilledMs > 0 && end !== 'unknown' && end !== 'service fault'
}

function isWithinBill({ leastBilledMs, mostBilledMs }: Attempt, billableMs: number): boolean {
  return billableMs >= leastBilledMs && billableMs <= mostBilledMs
}

function judgeSessions({ attempts }: Told, { sessions }: Seen, circumstances: Circumstances): string[] {
  const problems: string[] = []
  const byId = new Map(sessions.map(session => [session.id, session]))
  for (const attempt of attempts) {
    if (attempt.sessionId === undefined) continue
    const session = byId.get(attempt.sessionId)
    byId.delete(attempt.sessionId)
    if (!session) problems.push(`lost: session ${attempt.sessionId} was acknowledged and is not there`)
    else if (!isPossible(attempt, session, circumstances)) problems.push(describeImpossible(attempt, session))
  }
  const unnamed = attempts.filter(attempt => attempt.sessionId === undefined)
  return [...problems, ...judgeUnnamed(unnamed, [...byId.values()], circumstances)]
}

function describeImpossible(attempt: Attempt, session: SeenSession): string {
  const isOpen = session.status === 'reserved' || session.status === 'active'
  return `${isOpen ? 'leaked' : 'wrong'}: ${JSON.stringify(session)} cannot come from ${JSON.stringify(attempt)}`
}

/** Sessions whose id nobody was told must each be the work of one attempt that was not answered. */
function judgeUnnamed(
  attempts: readonly Attempt[],
  sessions: readonly SeenSession[],
  circumstances: Circumstances,
): string[] {
  if (canBeMatched(attempts, sessions, circumstances)) return []
  const facts = `${JSON.stringify(sessions)} cannot come from ${JSON.stringify(attempts)}`
  return [`${sessions.length > attempts.length ? 'made twice' : 'wrong'}: unnamed sessions ${facts}`]
}

function canBeMatched(
  attempts: readonly Attempt[],
  sessions: readonly SeenSession[],
  circumstances: Circumstances,
): boolean {
  const [attempt, ...others] = attempts
  if (!attempt) return sessions.length === 0
  if (!attempt.exists && canBeMatched(others, sessions, circumstances)) return true
  return sessions.some(
    session =>
      isPossible(attempt, session, circumstances) &&
      canBeMatched(
        others,
        sessions.filter(other => other !== session),
        circumstances,
      ),
  )
}

/** One idempotency key, one session, for as long as that is not over and was not given back. */
function judgeKeys({ attempts }: Told, { clockJumps }: Circumstances): string[] {
  if (clockJumps) return []
  const named = attempts.filter(attempt => attempt.idempotencyKey !== undefined && attempt.sessionId)
  return named.flatMap((attempt, index) => {
    const earlier = named.slice(0, index).find(one => one.idempotencyKey === attempt.idempotencyKey)
    if (!earlier || earlier.sessionId === attempt.sessionId || isFreeAgain(earlier, attempt)) return []
    return [`made twice: sessions ${earlier.sessionId} and ${attempt.sessionId} for one idempotency key`]
  })
}

/** The key of a session is free when that was given back, or when its credential is over. */
function isFreeAgain(earlier: Attempt, later: Attempt): boolean {
  const isOver = later.expiresAtMs - earlier.expiresAtMs >= CREDENTIAL_LIFETIME_SECONDS * 1000
  return isOver || earlier.cancelled !== 'no'
}

function judgeBalance(told: Told, seen: Seen): string[] {
  const { grantedMs, availableMs, reservedMs, consumedMs, sessions } = seen
  const open = sessions.filter(({ status }) => status === 'reserved' || status === 'active')
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const facts: readonly (readonly [boolean, string])[] = [
    [canBeGranted(told, grantedMs), `granted is ${grantedMs}, told ${JSON.stringify(told.grants)}`],
    [availableMs + reservedMs + consumedMs === grantedMs, 'available + reserved + consumed is not granted'],
    [consumedMs === sum(sessions.map(session => session.billableMs)), 'consumed is not what sessions cost'],
    [
      reservedMs === sum(open.map(session => session.reservedMs)),
      'reserved is not what open sessions reserve',
    ],
  ]
  return facts.flatMap(([isSo, problem]) => (isSo ? [] : [`balance: ${problem}`]))
}

/** Every grant that was acknowledged, and any of those that were not answered. */
function canBeGranted({ grants }: Told, grantedMs: number): boolean {
  const certain = grants.filter(grant => grant.isCertain).reduce((total, { ms }) => total + ms, 0)
  let sums = new Set([certain])
  for (const { ms, isCertain } of grants) {
    if (!isCertain) sums = new Set([...sums, ...[...sums].map(sum => sum + ms)])
  }
  return sums.has(grantedMs)
}

function judgeReads(told: Told): string[] {
  const { mostMs } = grantedRange(told)
  let consumedBefore = 0
  return told.reads.flatMap(read => {
    const total = read.availableMs + read.reservedMs + read.consumedMs
    const missing = read.knownIds.filter(id => !read.sessionIds.includes(id))
    const wentBack = read.consumedMs < consumedBefore
    consumedBefore = read.consumedMs
    return [
      ...missing.map(id => `lost: a usage read does not have session ${id}`),
      ...(wentBack ? [`balance: consumed went back to ${read.consumedMs}`] : []),
      ...(total < read.leastGrantedMs || total > mostMs ? [`balance: a usage read adds up to ${total}`] : []),
    ]
  })
}
