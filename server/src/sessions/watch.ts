// What a node must know while its sessions are open: that it is alive to the others, and which sessions must close.

import type { Queryable } from '../db/port.ts'
import type { StreamEnding } from './lifecycle.ts'

/** Tells the other nodes that this one lives. The first beat must come before the first session. */
export async function beat(db: Queryable, nodeId: string, now: Date): Promise<void> {
  await db.query(
    `INSERT INTO nodes (id, heartbeat_at) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
    [nodeId, now],
  )
}

export interface SessionToClose {
  readonly sessionId: string
  readonly ending: Extract<StreamEnding, 'account_inactive' | 'key_revoked' | 'internal_error'>
}

/**
 * Of the streams that this node has open, those that must end: account or key was revoked, or the session was already
 * ended by others, who took this node for dead (internal_error: it was not billed and must not go on for free).
 */
export async function findSessionsToClose(
  db: Queryable,
  openSessionIds: readonly string[],
): Promise<SessionToClose[]> {
  if (openSessionIds.length === 0) return []
  return db.query<SessionToClose>(
    `SELECT s.id AS "sessionId",
       CASE WHEN s.status <> 'active' THEN 'internal_error'
            WHEN NOT a.active THEN 'account_inactive'
            ELSE 'key_revoked' END AS ending
     FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN api_keys k ON k.id = s.api_key_id
     WHERE s.id = ANY($1::uuid[]) AND (s.status <> 'active' OR NOT a.active OR k.revoked_at IS NOT NULL)`,
    [openSessionIds],
  )
}
