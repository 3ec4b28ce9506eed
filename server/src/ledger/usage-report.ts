// Step 8, USAGE, as a report: what an account's sessions used by day, by model and by key, in days of the reader's time zone.

import type { Queryable } from '../db/port.ts'

export interface UsageRow {
  /** Which of the days, counted from 0. */
  readonly day: number
  readonly model: string
  readonly keyId: string | null
  readonly keyName: string | null
  readonly audioMs: number
  readonly billableMs: number
  readonly sessions: number
}

/** `midnights` are the beginnings of the days and the end of the last one. No locks. */
export function readUsageRows(
  db: Queryable,
  accountId: string,
  midnights: readonly Date[],
): Promise<UsageRow[]> {
  const bounds = midnights.map(midnight => midnight.toISOString())
  return db.query<UsageRow>(
    `SELECT width_bucket(s.created_at, string_to_array($2::text, ',')::timestamptz[]) - 1 AS day, s.model,
            k.id AS "keyId", k.name AS "keyName", sum(s.audio_ms)::bigint AS "audioMs",
            sum(s.billable_ms)::bigint AS "billableMs", count(*)::integer AS sessions
     FROM sessions s LEFT JOIN api_keys k ON k.id = s.api_key_id
     WHERE s.account_id = $1 AND s.created_at >= $3 AND s.created_at < $4 GROUP BY 1, 2, 3, 4`,
    [accountId, bounds.join(','), midnights[0], midnights.at(-1)],
  )
}
