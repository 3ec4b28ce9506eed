// Sessions that are open now, as an operator sees them: whose, in which state, how long. Never what is said in them.

import type { SessionStatus } from '@sauti/protocol/http'
import type { Queryable } from '../db/port.ts'

export interface LiveSession {
  readonly id: string
  readonly accountId: string
  readonly accountName: string
  readonly model: string
  readonly status: SessionStatus
  readonly reservedMs: number
  readonly createdAt: Date
}

/** Reservations that have run out and only wait for the sweep are left out. */
export function listLiveSessions(db: Queryable, now: Date, limit: number): Promise<LiveSession[]> {
  return db.query<LiveSession>(
    `SELECT s.id, s.account_id AS "accountId", a.name AS "accountName", s.model, s.status,
            s.reserved_ms AS "reservedMs", s.created_at AS "createdAt"
     FROM sessions s JOIN accounts a ON a.id = s.account_id
     WHERE s.status = 'active' OR (s.status = 'reserved' AND s.expires_at > $1)
     ORDER BY s.created_at DESC, s.id DESC LIMIT $2`,
    [now, limit],
  )
}
