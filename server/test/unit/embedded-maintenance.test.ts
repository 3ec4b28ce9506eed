import { PGlite } from '@electric-sql/pglite'
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

  const firstWords = (ran: string[]) => ran.map(sql => sql.split(' ')[0])

  it('vacuums five minutes after the start, analyses a minute later, and does both again every hour', () => {
    const { seen, wait } = observe()
    wait(4)
    expect(seen.ran).toEqual([])
    wait(1)
    expect(seen.ran).toEqual(['VACUUM'])
    wait(1)
    expect(firstWords(seen.ran)).toEqual(['VACUUM', 'DO'])
    wait(58)
    expect(seen.ran).toHaveLength(2)
    wait(2)
    expect(firstWords(seen.ran)).toEqual(['VACUUM', 'DO', 'VACUUM', 'DO'])
  })

  it('takes its next step a minute later where a transaction was open', () => {
    const { seen, wait } = observe()
    wait(4)
    seen.isBusy = true
    wait(3)
    seen.isBusy = false
    expect(seen.ran).toEqual([])
    wait(1)
    expect(seen.ran).toEqual(['VACUUM'])
    wait(1)
    expect(firstWords(seen.ran)).toEqual(['VACUUM', 'DO'])
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

  it('takes steps that the database understands, after which it knows the size of our tables', async () => {
    const { seen, wait } = observe()
    wait(6)
    vi.useRealTimers()
    const db = await PGlite.create()
    await db.exec('CREATE TABLE "Odd name" AS SELECT generate_series(1, 1000) AS n')
    for (const sql of seen.ran) await db.exec(sql)
    const { rows } = await db.query(
      `SELECT n_live_tup::int AS rows, last_vacuum IS NOT NULL AS is_clean FROM pg_stat_user_tables`,
    )
    await db.close()
    expect(rows).toEqual([{ rows: 1000, is_clean: true }])
  }, 60_000)

  it('ends with its timer', () => {
    const { seen, timer, wait } = observe()
    clearInterval(timer)
    seen.syncs = 1
    wait(200)
    expect(seen.ran).toEqual([])
  })
})
