// Step 8, USAGE, day by day: what an account's sessions used, for the console's chart.

import type { Queryable } from '../db/port.ts'

const DAY_MS = 24 * 3600 * 1000

export interface UsageDay {
  /** YYYY-MM-DD, in UTC. */
  readonly date: string
  readonly audioMs: number
  readonly billableMs: number
  readonly sessions: number
}

/** The last `days` days up to now, oldest first, those without sessions included. */
export async function readUsageDays(
  db: Queryable,
  accountId: string,
  days: number,
  now: Date,
): Promise<UsageDay[]> {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const first = new Date(today - (days - 1) * DAY_MS)
  const rows = await db.query<UsageDay>(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, sum(audio_ms)::bigint AS "audioMs",
            sum(billable_ms)::bigint AS "billableMs", count(*) AS sessions
     FROM sessions WHERE account_id = $1 AND created_at >= $2 GROUP BY 1`,
    [accountId, first],
  )
  const used = new Map(rows.map(row => [row.date, row]))
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(first.getTime() + index * DAY_MS).toISOString().slice(0, 10)
    return used.get(date) ?? { date, audioMs: 0, billableMs: 0, sessions: 0 }
  })
}
