import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestRate } from '#server/network/request-rate.js'

const at = (ms: number) => new Date(1_700_000_000_000 + ms)

describe('a request rate', () => {
  it('allows exactly its number in a minute, and the next when the oldest is a minute old', () => {
    const limiter = new RequestRate({ most: 3 })
    expect([0, 100, 200].map(ms => limiter.take('a', at(ms)).allowed)).toEqual([true, true, true])
    expect(limiter.take('a', at(300))).toEqual({ allowed: false, remaining: 0, nextSeconds: 60 })
    expect(limiter.take('a', at(59_999)).allowed).toBe(false)
    expect(limiter.take('a', at(60_000)).allowed).toBe(true)
    expect(limiter.take('a', at(60_001)).allowed).toBe(false)
  })

  it('counts clients apart, and a given back request not at all', () => {
    const limiter = new RequestRate({ most: 1 })
    expect(limiter.take('a', at(0)).allowed).toBe(true)
    expect(limiter.take('b', at(0)).allowed).toBe(true)
    expect(limiter.giveBack('a', at(1)).remaining).toBe(1)
    expect(limiter.take('a', at(2)).allowed).toBe(true)
    expect(limiter.take('a', at(3)).allowed).toBe(false)
  })

  it('never allows more in any minute, and never refuses below its number', () => {
    const gaps = fc.array(fc.nat({ max: 20_000 }), { maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), gaps, (limit, pauses) => {
        const limiter = new RequestRate({ most: limit })
        const allowedTimes: number[] = []
        let now = 0
        for (const pause of pauses) {
          now += pause
          const recent = allowedTimes.filter(time => time > now - 60_000).length
          const state = limiter.take('a', at(now))
          expect(state.allowed).toBe(recent < limit)
          if (state.allowed) allowedTimes.push(now)
        }
      }),
    )
  })

  it('forgets the longest silent client rather than grow without bound', () => {
    const limiter = new RequestRate({ most: 2 })
    for (let i = 0; i < 20_001; i++) limiter.take(`client ${i}`, at(0))
    expect(limiter.peek('client 0', at(1)).remaining).toBe(2)
    expect(limiter.peek('client 20000', at(1)).remaining).toBe(1)
  })

  it('never forgets a client at its limit while others come and go', () => {
    const limiter = new RequestRate({ most: 2, maxClients: 100 })
    limiter.take('guesser', at(0))
    limiter.take('guesser', at(0))
    for (let i = 0; i < 1000; i++) limiter.take(`client ${i}`, at(i))
    expect(limiter.take('guesser', at(2000)).allowed).toBe(false)
    expect(limiter.take('guesser', at(60_000)).allowed).toBe(true)
  })

  it('looks without counting', () => {
    const limiter = new RequestRate({ most: 1 })
    for (let i = 0; i < 3; i++) expect(limiter.peek('a', at(0)).allowed).toBe(true)
    expect(limiter.take('a', at(0)).allowed).toBe(true)
    expect(limiter.peek('a', at(0)).allowed).toBe(false)
  })
})
