import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { AttemptLimit, passwordRule } from '#server/http/console/sign-in/attempts.js'

const FAILURES = 10
const now = new Date(1_700_000_000_000)

function createLimit(): (name: string, from: string, device?: string) => boolean {
  const limit = new AttemptLimit(
    { clock: () => now, clientOf: request => request as unknown as string },
    passwordRule(FAILURES),
  )
  return (name, from, device) => {
    try {
      limit.take({ raw: from } as unknown as FastifyRequest, name, device)
      return true
    } catch {
      return false
    }
  }
}

const times = (count: number, work: (turn: number) => unknown) =>
  Array.from({ length: count }, (_, turn) => work(turn))

describe('attempts', () => {
  it('at many names from an address that is already refused do not clear the count of one', () => {
    const take = createLimit()
    times(FAILURES, () => take('victim', 'attacker'))
    expect(take('victim', 'attacker')).toBe(false)
    times(FAILURES * 5, turn => take(`other ${turn}`, 'attacker'))
    // Once, as many names as this pushed the victim out of memory.
    expect(times(20_050, turn => take(`flood ${turn}`, 'attacker')).includes(true)).toBe(false)
    expect(take('victim', 'attacker')).toBe(false)
  })

  it('at many names from many addresses do not clear it either', () => {
    const take = createLimit()
    times(FAILURES * 10, turn => take('victim', `host ${Math.floor(turn / FAILURES)}`))
    expect(take('victim', 'another host')).toBe(false)
    times(50_000, turn => take(`name ${turn}`, `address ${Math.floor(turn / 50)}`))
    expect(take('victim', 'another host')).toBe(false)
  })

  it('at one name are refused where they come from, and not from elsewhere, up to a cap', () => {
    const take = createLimit()
    times(FAILURES, () => take('operator', 'attacker'))
    expect([take('operator', 'attacker'), take('operator', 'home')]).toEqual([false, true])
    expect(take('somebody else', 'attacker')).toBe(true)
  })

  it('from a known device have a count that nobody else can use up', () => {
    const take = createLimit()
    times(FAILURES * 20, turn => take('operator', `host ${turn}`))
    expect(take('operator', 'home')).toBe(false)
    expect(times(FAILURES, () => take('operator', 'home', 'my laptop')).includes(false)).toBe(false)
    expect(take('operator', 'home', 'my laptop')).toBe(false)
  })
})
