// What the database holds of some accounts, read in one snapshot each.

import type { Queryable } from '#server/db/port.js'
import type { Seen, SeenSession } from './oracle.ts'

export async function observeAccount(db: Queryable, accountId: string): Promise<Seen> {
  const [row] = await db.query<Omit<Seen, 'sessions'> & { sessions: SeenSession[] | null }>(
    `SELECT granted_ms AS "grantedMs", available_ms AS "availableMs", reserved_ms AS "reservedMs",
       consumed_ms AS "consumedMs",
       (SELECT jsonb_agg(jsonb_build_object('id', id, 'status', status, 'reservedMs', reserved_ms,
          'billableMs', billable_ms, 'ending', ending)) FROM sessions WHERE account_id = a.id) AS sessions,
       ARRAY(SELECT id FROM api_keys WHERE account_id = a.id AND revoked_at IS NOT NULL) AS "revokedKeyIds"
     FROM accounts a WHERE id = $1`,
    [accountId],
  )
  return { ...row!, sessions: row!.sessions ?? [] }
}

export async function countActive(db: Queryable, accountIds: readonly string[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*) FROM sessions WHERE account_id = ANY($1) AND status = 'active'`,
    [accountIds],
  )
  return row!.count
}

/** Streams that living nodes say are open. */
export async function countOpenStreams(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT coalesce(sum(open_streams), 0) AS count FROM nodes WHERE state <> 'gone'`,
  )
  return Number(row!.count)
}

/** Nodes with an engine that takes streams. */
export async function countServing(db: Queryable): Promise<number> {
  const rows = await db.query(`SELECT FROM nodes WHERE state = 'ready' AND capacity > 0`)
  return rows.length
}
