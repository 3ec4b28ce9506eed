import { describe, expect, it } from 'vitest'
import { ReturnTimes } from '#server/nodes/return-times.js'

const now = new Date('2026-01-31T12:00:00Z')
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)

const refused = (slotFreeAt: Date | null, at = now, heldBack = 0, accountId = 'one') => ({
  accountId,
  slotFreeAt,
  heldBack,
  now: at,
})

describe('the time to come back', () => {
  it('is when the next slot is free, then one pace later for everybody who was told before', () => {
    const returns = new ReturnTimes(() => 30)
    const told = [1, 2, 3].map(() => returns.promise(refused(after(2))))
    expect(told).toEqual([after(2), after(4), after(6)])
  })

  it('does not count those whose time has come', () => {
    const returns = new ReturnTimes(() => 30)
    for (let told = 0; told < 3; told++) returns.promise(refused(after(2)))
    expect(returns.promise(refused(after(6), after(4)))).toEqual(after(8))
  })

  it('is 30 seconds where nothing tells when a slot is free, and never more than a minute', () => {
    expect(new ReturnTimes(() => 0).promise(refused(null))).toEqual(after(30))
    expect(new ReturnTimes(() => 1).promise(refused(after(3600)))).toEqual(after(60))
    const returns = new ReturnTimes(() => 30)
    for (let told = 0; told < 100; told++) returns.promise(refused(after(2)))
    expect(returns.promise(refused(after(2)))).toEqual(after(60))
  })

  it('is sooner for as many as slots are held back: half of them after one step, half of the rest after two', () => {
    const returns = new ReturnTimes(() => 0)
    const told = Array.from({ length: 8 }, () => returns.promise(refused(null, now, 8)))
    expect(told).toEqual([3, 3, 3, 3, 6, 6, 9, 12].map(after))
  })

  it('comes behind them for all others, as many in each step, until it is known how many fit', () => {
    const returns = new ReturnTimes(() => 0)
    const told = Array.from({ length: 12 }, () => returns.promise(refused(after(60), now, 4)))
    expect(told).toEqual([3, 3, 6, 9, 12, 12, 12, 12, 15, 15, 15, 15].map(after))
  })

  it('is sooner than that for others where somebody ends sooner', () => {
    const returns = new ReturnTimes(() => 60)
    const told = Array.from({ length: 5 }, () => returns.promise(refused(after(2), now, 2)))
    expect(told).toEqual([3, 6, 2, 3, 4].map(after))
  })

  it('is hardly later for one who asks once where another has asked again and again', () => {
    const returns = new ReturnTimes(() => 60)
    const ask = (accountId: string) => returns.promise(refused(after(1), now, 0, accountId))
    const eager = Array.from({ length: 10 }, () => ask('eager'))
    expect(eager.at(-1)).toEqual(after(10))
    expect([ask('modest'), ask('modest'), ask('third')]).toEqual([after(2), after(4), after(3)])
    expect(ask('eager')).toEqual(after(14))
  })

  it('is not remembered of everybody where no pace is known', () => {
    let ended = 0
    const returns = new ReturnTimes(() => ended)
    for (let told = 0; told < 3_000; told++) expect(returns.promise(refused(after(2)))).toEqual(after(2))
    ended = 6_000
    expect(returns.promise(refused(after(2)))).toEqual(after(12))
  })
})

it('lets a crowd in with few further refusals, and hardly later', () => {
  const one = admitCrowd(slotFreeAt => slotFreeAt)
  const returns = new ReturnTimes(() => 60)
  const crowd = admitCrowd((slotFreeAt, at) => returns.promise(refused(slotFreeAt, at)))
  expect(one.refusedAgain).toBeGreaterThan(500)
  expect(crowd.refusedAgain).toBeLessThan(10)
  expect(crowd.lastSecond).toBeLessThanOrEqual(one.lastSecond + 5)
})

/** 50 come at once to a service that is full. A slot is free every second, and they come back when they are told to. */
function admitCrowd(tell: (slotFreeAt: Date, at: Date) => Date) {
  let waiting = Array.from({ length: 50 }, () => 0)
  let refusedAgain = 0
  let lastSecond = 0
  for (let second = 0, free = 0; waiting.length > 0; second++, free++) {
    const here = waiting.filter(at => at <= second)
    waiting = waiting.filter(at => at > second)
    const admitted = here.splice(0, free)
    if (admitted.length > 0) lastSecond = second
    free -= admitted.length
    if (second > 0) refusedAgain += here.length
    for (const _ of here)
      waiting.push((tell(after(second + 1), after(second)).getTime() - now.getTime()) / 1000)
  }
  return { refusedAgain, lastSecond }
}
