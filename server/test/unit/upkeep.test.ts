import { afterEach, describe, expect, it, vi } from 'vitest'
import { startUpkeep } from '#server/nodes/upkeep.js'

afterEach(() => void vi.useRealTimers())

/** The statements of so many seconds of upkeep, by the table that they change first. */
async function statementsOf(seconds: number, isAlone: boolean) {
  vi.useFakeTimers()
  const query = vi.fn(async (_sql: string) => [])
  const upkeep = startUpkeep({
    db: { query } as never,
    node: { id: 'this', beatIfDue: async () => undefined, mayJudge: true, lostAfterMs: 10_000 },
    clock: () => new Date(),
    settings: { heartbeatIntervalMs: 2000, reaperIntervalMs: 1000 },
    isAlone,
    onDeclaredDead: () => undefined,
    onError: error => {
      throw error
    },
  })
  await vi.advanceTimersByTimeAsync(seconds * 1000)
  await upkeep.stop()
  const counted = (part: string) => query.mock.calls.filter(([sql]) => sql.includes(part)).length
  return { expired: counted('s.expires_at <= '), judged: counted('UPDATE nodes') }
}

describe('the upkeep of a node', () => {
  it('ends expired reservations and lost nodes every second where others share the database', async () => {
    expect(await statementsOf(10, false)).toEqual({ expired: 10, judged: 10 })
  })

  it('looks for lost nodes once per minute where nobody can share it', async () => {
    expect(await statementsOf(10, true)).toEqual({ expired: 10, judged: 0 })
    expect(await statementsOf(60, true)).toEqual({ expired: 60, judged: 1 })
  })
})
