// What a node must know while its sessions are open: which of them must close.

import type { Queryable } from '../db/port.ts'
import type { StreamEnding } from './lifecycle.ts'

export interface SessionToClose {
  readonly sessionId: string
  readonly ending: Extract<StreamEnding, 'account_inactive' | 'key_revoked' | 'internal_error'>
}

/**
 * Of the streams that this node has open, those that must end: account or key was revoked, the key has expired, or the session was already
 * ended by others, which declared this node dead (internal_error: it was not billed and must not go on for free).
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
     WHERE s.id = ANY($1::uuid[]) AND (s.status <> 'active' OR NOT a.active OR k.revoked_at IS NOT NULL OR k.expires_at <= now())`,
    [openSessionIds],
  )
}
