import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { maintain } from '#server/db/embedded-maintenance.js'

const MINUTE_MS = 60_000

describe('the upkeep of the embedded database', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** What is run, minute by minute; `syncs` and `isBusy` can be changed on the way. */
  function observe() {
    const seen = { ran: [] as string[], syncs: 0, isBusy: false }
    const run = (sql: string) => {
      if (!seen.isBusy) seen.ran.push(sql)
      return !seen.isBusy
    }
    const timer = maintain(run, () => seen.syncs)
    return { seen, timer, wait: (minutes: number) => vi.advanceTimersByTime(minutes * MINUTE_MS) }
  }

  const countVacuums = (ran: string[]) => ran.filter(sql => sql === 'VACUUM (ANALYZE)').length

  it('vacuums five minutes after the start, then every hour', () => {
    const { seen, wait } = observe()
    wait(4)
    expect(seen.ran).toEqual([])
    wait(1)
    expect(seen.ran).toEqual(['VACUUM (ANALYZE)'])
    wait(59)
    expect(countVacuums(seen.ran)).toBe(1)
    wait(1)
    expect(countVacuums(seen.ran)).toBe(2)
  })

  it('vacuums a minute later where a transaction was open', () => {
    const { seen, wait } = observe()
    wait(4)
    seen.isBusy = true
    wait(3)
    seen.isBusy = false
    expect(countVacuums(seen.ran)).toBe(0)
    wait(1)
    expect(countVacuums(seen.ran)).toBe(1)
    wait(59)
    expect(countVacuums(seen.ran)).toBe(1)
  })

  it('checkpoints in a minute in which something was made durable, and not in a quiet one', () => {
    const { seen, wait } = observe()
    wait(1)
    expect(seen.ran).toEqual([])
    seen.syncs = 3
    wait(1)
    expect(seen.ran).toEqual(['CHECKPOINT'])
    wait(1)
    expect(seen.ran).toEqual(['CHECKPOINT'])
  })

  it('makes up for a checkpoint that an open transaction kept it from', () => {
    const { seen, wait } = observe()
    seen.syncs = 1
    seen.isBusy = true
    wait(1)
    seen.isBusy = false
    wait(1)
    expect(seen.ran).toEqual(['CHECKPOINT'])
  })

  it('ends with its timer', () => {
    const { seen, timer, wait } = observe()
    clearInterval(timer)
    seen.syncs = 1
    wait(200)
    expect(seen.ran).toEqual([])
  })
})
