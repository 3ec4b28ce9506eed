// The oracle is shown books with one thing wrong in each, and must name it.

import { describe, expect, it } from 'vitest'
import { type Circumstances, judge, type Seen, type SeenSession } from '../../faults/oracle.ts'
import { type Attempt, beginAttempt, beginTelling, type Told } from '../../faults/told.ts'

const CREDIT_MS = 60_000
const CALM: Circumstances = {
  serviceMayFail: false,
  nodesMayBeLost: false,
  clockJumps: false,
  isReleased: true,
}
const STORMY: Circumstances = { ...CALM, serviceMayFail: true }

function tell(...attempts: Attempt[]): Told {
  return { ...beginTelling(CREDIT_MS), attempts }
}

/** A session that its client spoke on for two seconds and closed. */
function spoken(sessionId: string | undefined = 'a', change: Partial<Attempt> = {}): Attempt {
  return {
    ...beginAttempt('reservation', 2000),
    sessionId,
    exists: true,
    opened: 'yes',
    end: 'closed',
    leastBilledMs: 2000,
    ...change,
  }
}

function session(change: Partial<SeenSession> = {}): SeenSession {
  return { id: 'a', status: 'completed', reservedMs: 5000, billableMs: 2000, ...change }
}

/** Books that add up. */
function books(sessions: readonly SeenSession[], grantedMs = CREDIT_MS): Seen {
  const open = sessions.filter(({ status }) => status === 'reserved' || status === 'active')
  const reservedMs = open.reduce((sum, one) => sum + one.reservedMs, 0)
  const consumedMs = sessions.reduce((sum, one) => sum + one.billableMs, 0)
  const availableMs = grantedMs - reservedMs - consumedMs
  return { grantedMs, availableMs, reservedMs, consumedMs, sessions, revokedKeyIds: [] }
}

describe('the oracle', () => {
  it('finds nothing wrong with what the clients were told', () => {
    expect(judge(tell(spoken()), books([session()]), CALM)).toEqual([])
  })

  it('notices a session that was acknowledged and lost', () => {
    expect(judge(tell(spoken()), books([]), STORMY)).toEqual([
      'lost: session a was acknowledged and is not there',
    ])
  })

  it('lets a session cost nothing whose node may have been declared dead, and never more than was told', () => {
    const lost = { ...STORMY, nodesMayBeLost: true }
    const unbilled = session({ status: 'failed', billableMs: 0 })
    expect(judge(tell(spoken()), books([unbilled]), lost)).toEqual([])
    const billed = session({ status: 'failed', billableMs: 3000 })
    expect(judge(tell(spoken()), books([billed]), lost)).toEqual([expect.stringMatching(/^wrong: /)])
  })

  it('lets a session be billed that its client broke and was not told about', () => {
    const billed = session({ status: 'failed', billableMs: 2000 })
    const cut = { end: 'unknown', leastBilledMs: 0 } as const
    expect(judge(tell(spoken('a', { ...cut, brokeProtocol: true })), books([billed]), CALM)).toEqual([])
    expect(judge(tell(spoken('a', cut)), books([billed]), CALM)).toEqual([expect.stringMatching(/^wrong: /)])
  })

  it('lets a reservation be held that was made while the clock was ahead, if nobody knows it', () => {
    const held = session({ status: 'reserved', billableMs: 0 })
    const unknown = beginAttempt('reservation', 5000)
    const jumped = { ...CALM, clockJumps: true }
    expect(judge(tell(unknown), books([held]), jumped)).toEqual([])
    expect(judge(tell(unknown), books([held]), CALM)).toEqual([expect.stringMatching(/^wrong: /)])
    const known = { ...unknown, sessionId: 'a', exists: true }
    expect(judge(tell(known), books([held]), jumped)).toEqual([expect.stringMatching(/^leaked: /)])
  })

  it('notices a bill that was acknowledged and lost, whatever failed', () => {
    const unbilled = session({ status: 'failed', billableMs: 0 })
    expect(judge(tell(spoken()), books([unbilled]), STORMY)).toEqual([expect.stringMatching(/^wrong: /)])
  })

  it('notices a session that costs more than was sent, or less than was acknowledged', () => {
    for (const billableMs of [1000, 3000])
      expect(judge(tell(spoken()), books([session({ billableMs })]), CALM)).toHaveLength(1)
  })

  it('notices a charge for a fault of the service', () => {
    const told = tell(spoken('a', { end: 'service fault' }))
    expect(judge(told, books([session({ status: 'failed' })]), STORMY)).toHaveLength(1)
    expect(judge(told, books([session({ status: 'failed', billableMs: 0 })]), STORMY)).toEqual([])
  })

  it('notices a session that was made twice', () => {
    const twice = books([session(), session({ id: 'b' })])
    expect(judge(tell(spoken()), twice, STORMY)).toEqual([expect.stringMatching(/^made twice: /)])
    const one = { ...spoken('a'), idempotencyKey: 'k' }
    const other = { ...spoken('b'), idempotencyKey: 'k' }
    expect(judge(tell(one, other), twice, STORMY)).toEqual([expect.stringMatching(/^made twice: /)])
    const later = { ...other, expiresAtMs: 160_000 }
    expect(judge(tell({ ...one, expiresAtMs: 100_001 }, later), twice, STORMY)).toHaveLength(1)
    expect(judge(tell({ ...one, expiresAtMs: 100_000 }, later), twice, STORMY)).toEqual([])
    expect(judge(tell({ ...one, cancelled: 'maybe' }, other), twice, STORMY)).toEqual([])
  })

  it('notices a slot that is never released', () => {
    const waiting = { ...beginAttempt('reservation', 5000), sessionId: 'a', exists: true }
    const held = books([session({ status: 'reserved', billableMs: 0 })])
    expect(judge(tell(waiting), held, STORMY)).toEqual([expect.stringMatching(/^leaked: /)])
    expect(judge(tell(waiting), held, { ...STORMY, isReleased: false })).toEqual([])
    const active = books([session({ status: 'active', billableMs: 0 })])
    expect(judge(tell(spoken('a', { end: 'unknown' })), active, STORMY)).toEqual([
      expect.stringMatching(/^leaked: /),
    ])
  })

  it('notices a failure where nothing failed', () => {
    const told = tell(spoken('a', { end: 'unknown', leastBilledMs: 0 }))
    const failed = books([session({ status: 'failed', billableMs: 0 })])
    expect(judge(told, failed, CALM)).toHaveLength(1)
    expect(judge(told, failed, STORMY)).toEqual([])
  })

  it('notices a cancelled reservation that was billed or opened', () => {
    const cancelled = { ...beginAttempt('reservation', 5000), sessionId: 'a', exists: true, cancelled: 'yes' }
    expect(judge(tell(cancelled as Attempt), books([session()]), STORMY)).toHaveLength(1)
  })

  it('lets an unanswered attempt be done or not done, once', () => {
    const unanswered = { ...beginAttempt('file', 2000) }
    expect(judge(tell(unanswered), books([]), CALM)).toEqual([])
    expect(judge(tell(unanswered), books([session()]), CALM)).toEqual([])
    expect(judge(tell(unanswered), books([session(), session({ id: 'b' })]), CALM)).toHaveLength(1)
    expect(judge(tell({ ...unanswered, isRefused: true }), books([session()]), CALM)).toHaveLength(1)
    const metered = { ...beginAttempt('metered', 2000), exists: true }
    expect(judge(tell(metered), books([]), STORMY)).toHaveLength(1)
  })

  it('lets an unanswered grant be there or not, and no other amount', () => {
    const told = { ...tell(), grants: [...tell().grants, { ms: 500, isCertain: false }] }
    expect(judge(told, books([], CREDIT_MS), CALM)).toEqual([])
    expect(judge(told, books([], CREDIT_MS + 500), CALM)).toEqual([])
    expect(judge(told, books([], CREDIT_MS + 1000), CALM)).toHaveLength(1)
    expect(judge(told, books([], CREDIT_MS - 500), CALM)).toHaveLength(1)
  })

  it('notices a balance that does not add up', () => {
    const right = books([session()])
    for (const change of [{ availableMs: 1 }, { consumedMs: 4000 }, { reservedMs: 1000 }])
      expect(judge(tell(spoken()), { ...right, ...change }, CALM).length).toBeGreaterThan(0)
  })

  it('notices a usage read that forgets, and a revoked key that works', () => {
    const read = {
      availableMs: CREDIT_MS - 2000,
      reservedMs: 0,
      consumedMs: 2000,
      sessionIds: ['a'],
      knownIds: ['a'],
      leastGrantedMs: CREDIT_MS,
    }
    const seen = books([session()])
    const hears = (...reads: Told['reads']) => judge({ ...tell(spoken()), reads }, seen, CALM)
    expect(hears(read)).toEqual([])
    expect(hears({ ...read, sessionIds: [] })).toEqual(['lost: a usage read does not have session a'])
    expect(hears(read, { ...read, availableMs: CREDIT_MS, consumedMs: 0 })).toEqual([
      'balance: consumed went back to 0',
    ])
    expect(hears({ ...read, availableMs: 0 })).toEqual(['balance: a usage read adds up to 2000'])
    expect(judge({ ...tell(spoken()), revokedKeyIds: ['k'] }, seen, CALM)).toEqual([
      'lost: key k was revoked and is usable',
    ])
  })
})
