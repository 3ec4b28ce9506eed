// Ends what nobody else ends: reservations that were never opened, and active sessions whose node died. Neither is billed.

import type { Queryable } from '../db/port.ts'
import { ENDINGS, type Ending } from '../sessions/lifecycle.ts'

/** Small enough that the accounts locked by one statement are free again within milliseconds. */
const BATCH = 100

/** Ends every reservation whose credential has expired. Returns how many. */
export function expireReservations(db: Queryable, now: Date): Promise<number> {
  return endAll(db, 'never_opened', `s.status = 'reserved' AND s.expires_at <= $2`, now)
}

/** Ends reservations that clients could only open at the address of a node that is gone. Returns how many. */
export function expireStrandedReservations(db: Queryable, now: Date): Promise<number> {
  const isStranded = `s.status = 'reserved' AND s.node_id IN (SELECT id FROM nodes WHERE state = 'gone')
    AND NOT EXISTS (SELECT FROM nodes n WHERE n.state <> 'gone' AND n.url = coalesce(s.node_url, n.url))`
  return endAll(db, 'never_opened', isStranded, now)
}

/** Fails the active sessions of nodes that are gone. Returns how many. Reads only the sessions of such nodes, every second. */
export function failSessionsOfGoneNodes(db: Queryable, now: Date): Promise<number> {
  return endAll(
    db,
    'node_died',
    `s.status = 'active' AND s.node_id IN (SELECT id FROM nodes WHERE state = 'gone')`,
    now,
  )
}

/** Fails active sessions of nodes that are not even registered. There are none, unless somebody deleted rows; so this may be rare. */
export function failOrphans(db: Queryable, now: Date): Promise<number> {
  return endAll(
    db,
    'node_died',
    `s.status = 'active' AND NOT EXISTS (SELECT FROM nodes n WHERE n.id = s.node_id)`,
    now,
  )
}

/** Drops replays that are over. */
export async function forgetReplays(db: Queryable, now: Date): Promise<void> {
  await db.query('DELETE FROM idempotency_keys WHERE expires_at <= $1', [now])
}

async function endAll(db: Queryable, ending: Ending, condition: string, now: Date): Promise<number> {
  const { from, to } = ENDINGS[ending]
  // Takes the accounts' rows first, as everybody does, and skips those that are busy: it never waits, so it cannot take
  // part in a deadlock, and what it skipped is done by the next batch or the next sweep.
  const sql = `
    WITH due AS MATERIALIZED (
      SELECT s.id FROM sessions s JOIN accounts a ON a.id = s.account_id
      WHERE ${condition} LIMIT ${BATCH} FOR NO KEY UPDATE OF a SKIP LOCKED
    )
    SELECT end_session(id, '${from}', '${to}', $1, 0, 0, $2) AS ended FROM due`
  let total = 0
  for (;;) {
    const rows = await db.query<{ ended: boolean }>(sql, [ending, now])
    total += rows.filter(row => row.ended).length
    if (rows.length < BATCH) return total
  }
}
