// What a history notes of requests that were not answered, and that a busy service may take much later.

import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../faults/client.ts'
import { History } from '../../faults/history.ts'
import { circumstancesOf } from '../../faults/lot.ts'
import { type Circumstances, judge, type Seen, type SeenSession } from '../../faults/oracle.ts'
import { planLot } from '../../faults/plan.ts'
import type { Answer } from '../../support/service/https.ts'

const CREDIT_MS = 60_000
const CALM: Circumstances = {
  serviceMayFail: false,
  nodesMayBeLost: false,
  clockJumps: false,
  isReleased: true,
}
const answer = (status: number, body: object): Answer => ({ status, headers: {}, body: JSON.stringify(body) })
const created = (id: string): Answer =>
  answer(201, {
    id,
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    credits: { reserved: 2 },
  })
const cancelled = answer(200, {})

interface Situation {
  /** After each answer so much time has passed. */
  readonly tookMs?: number
  readonly clockJumps?: boolean
}

/** One whose creations are answered in this order. */
function begin(
  answers: readonly (Answer | undefined | (() => Answer | undefined))[],
  { tookMs = 0, clockJumps = false }: Situation = {},
): History {
  const left = [...answers]
  const client = {
    create: async () => {
      const next = left.shift()
      vi.setSystemTime(Date.now() + tookMs)
      return typeof next === 'function' ? next() : next
    },
    cancel: async () => cancelled,
  } as Partial<Client> as Client
  const operator = { grant: async () => true, revoke: async () => true }
  const account = { accountId: 'account', creditMs: CREDIT_MS, keys: [{ id: 'key', secret: 'secret' }] }
  return new History({ client, operator, account, isUp: async () => undefined, clockJumps })
}

/** Books with these sessions, none of which was ever opened. */
function unopened(...ids: readonly string[]): Seen {
  const sessions: SeenSession[] = ids.map(id => ({ id, status: 'expired', reservedMs: 2000, billableMs: 0 }))
  const balance = { grantedMs: CREDIT_MS, availableMs: CREDIT_MS, reservedMs: 0, consumedMs: 0 }
  return { ...balance, sessions, revokedKeyIds: [] }
}

const create = { type: 'create', seconds: 2, hasKey: true } as const
const judgeTwo = ({ told }: History) => judge(told, unopened('first', 'second'), CALM)

afterEach(() => vi.useRealTimers())

describe('a request that was not answered', () => {
  it('may be taken when the key is free again, because the session was given back', async () => {
    const first = created('first')
    const history = begin([first, first, undefined, first])
    await history.perform({ type: 'replay at once' })
    expect(judgeTwo(history)).toEqual([expect.stringMatching(/^made twice/)])
    await history.perform({ type: 'cancel' })
    expect(judgeTwo(history)).toEqual([])
  })

  it('makes no second session where everything was answered', async () => {
    const first = created('first')
    const history = begin([first, first, first, first])
    await history.perform({ type: 'replay at once' })
    await history.perform({ type: 'cancel' })
    expect(judgeTwo(history)).toEqual([expect.stringMatching(/^made twice/)])
  })

  it('may be taken after the end of the credential, when answers take so long', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const quick = begin([undefined, () => created('first')], { tookMs: 1_000 })
    await quick.perform(create)
    expect(judgeTwo(quick)).toEqual([expect.stringMatching(/^made twice/)])
    const slow = begin([undefined, () => created('first')], { tookMs: 30_000 })
    await slow.perform(create)
    expect(judgeTwo(slow)).toEqual([])
  })

  it('may be a replay that came too late', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const quick = begin([() => created('first'), undefined], { tookMs: 1_000 })
    for (const operation of [create, { type: 'replay' } as const]) await quick.perform(operation)
    expect(judgeTwo(quick)).toEqual([expect.stringMatching(/^made twice/)])
    const slow = begin([() => created('first'), undefined], { tookMs: 31_000 })
    for (const operation of [create, { type: 'replay' } as const]) await slow.perform(operation)
    expect(judgeTwo(slow)).toEqual([])
  })
})

describe('where the clock jumps, and every key is over at once,', () => {
  const jumps = { clockJumps: true }
  const judgeBooks = ({ told }: History, ...ids: readonly string[]) =>
    judge(told, unopened(...ids), { ...CALM, ...jumps })

  it('each request that was not answered may have made a session of its own, and no more', async () => {
    const history = begin([undefined, undefined, created('third')], jumps)
    await history.perform(create)
    expect(judgeBooks(history, 'first', 'second', 'third')).toEqual([])
    expect(judgeBooks(history, 'first', 'second', 'third', 'fourth')).toEqual([
      expect.stringMatching(/^made twice/),
    ])
  })

  it('a replay that was not answered may have made another', async () => {
    const history = begin([created('first'), undefined], jumps)
    for (const operation of [create, { type: 'replay' } as const]) await history.perform(operation)
    expect(judgeBooks(history, 'first', 'second')).toEqual([])
    expect(judgeBooks(history, 'first', 'second', 'third')).toEqual([expect.stringMatching(/^made twice/)])
  })

  it('equal requests at the same moment may make several, all of which are given back', async () => {
    const history = begin([created('first'), created('second'), undefined, created('first')], jumps)
    await history.perform({ type: 'replay at once' })
    await history.perform({ type: 'cancel' })
    expect(history.told.wrongAnswers).toEqual([])
    expect(judgeBooks(history, 'first', 'second', 'third')).toEqual([])
    const known = history.told.attempts.filter(({ sessionId }) => sessionId !== undefined)
    expect(known.map(({ sessionId, cancelled }) => [sessionId, cancelled])).toEqual([
      ['first', 'yes'],
      ['second', 'yes'],
    ])
  })

  it('what was answered makes no second session', async () => {
    const history = begin([created('first')], jumps)
    await history.perform(create)
    expect(judgeBooks(history, 'first', 'second')).toEqual([expect.stringMatching(/^made twice/)])
  })
})

describe('the service may fail a stream', () => {
  it('where only clients are struck, only if it said that its database did not answer', () => {
    const lot = planLot(1, { histories: 1, kind: 'certificates' })
    expect(circumstancesOf({ lot, hasLostDatabase: false }, true).serviceMayFail).toBe(false)
    expect(circumstancesOf({ lot, hasLostDatabase: true }, true).serviceMayFail).toBe(true)
  })
})
