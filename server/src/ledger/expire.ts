// What nobody ends is ended here: reservations that were never opened, and active sessions whose node died. Neither costs.

import type { Queryable } from '../db/port.ts'
import { ENDINGS, type Ending } from '../sessions/lifecycle.ts'

/** Small enough that the accounts locked by one statement are free again within milliseconds. */
const BATCH = 100

/** Ends every reservation whose credential has expired. Returns how many. */
export function expireReservations(db: Queryable, now: Date): Promise<number> {
  return endAll(db, 'never_opened', `s.status = 'reserved' AND s.expires_at <= $3`, [now, now])
}

/** Fails the active sessions of every node that was last heard of before `deadBefore`. Returns how many. */
export function failSessionsOfDeadNodes(db: Queryable, deadBefore: Date, now: Date): Promise<number> {
  const nodeIsDead = `s.status = 'active'
    AND NOT EXISTS (SELECT FROM nodes n WHERE n.id = s.node_id AND n.heartbeat_at >= $3)`
  return endAll(db, 'node_died', nodeIsDead, [now, deadBefore])
}

/** Drops what has no more meaning: replays that are over, and dead nodes that hold nothing. */
export async function forgetExpired(db: Queryable, deadBefore: Date, now: Date): Promise<void> {
  await db.query('DELETE FROM idempotency_keys WHERE expires_at <= $1', [now])
  await db.query(
    `DELETE FROM nodes n WHERE heartbeat_at < $1
       AND NOT EXISTS (SELECT FROM sessions s WHERE s.node_id = n.id AND s.status IN ('reserved', 'active'))`,
    [deadBefore],
  )
}

async function endAll(
  db: Queryable,
  ending: Ending,
  condition: string,
  times: [Date, Date],
): Promise<number> {
  const { from, to } = ENDINGS[ending]
  // Takes the accounts' rows first, as everybody does, and skips those that are busy: it never waits, so it cannot take
  // part in a deadlock, and what it skipped comes with the next batch or the next sweep.
  const sql = `
    WITH due AS MATERIALIZED (
      SELECT s.id FROM sessions s JOIN accounts a ON a.id = s.account_id
      WHERE ${condition} LIMIT ${BATCH} FOR NO KEY UPDATE OF a SKIP LOCKED
    )
    SELECT end_session(id, '${from}', '${to}', $1, 0, 0, $2) AS ended FROM due`
  let total = 0
  for (;;) {
    const rows = await db.query<{ ended: boolean }>(sql, [ending, ...times])
    total += rows.filter(row => row.ended).length
    if (rows.length < BATCH) return total
  }
}
