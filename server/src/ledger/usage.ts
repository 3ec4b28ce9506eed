// Step 8, USAGE: what an account has, has set aside and has used, and its newest sessions.

import { MAX_RECENT_SESSIONS, type SessionStatus } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import type { Queryable } from '../db/port.ts'

export interface Balance {
  readonly grantedMs: number
  readonly availableMs: number
  readonly reservedMs: number
  readonly consumedMs: number
}

export interface RecentSession {
  readonly id: string
  readonly model: ModelId
  readonly status: SessionStatus
  readonly audioMs: number
  readonly billableMs: number
  readonly createdAt: Date
  readonly completedAt: Date | null
}

export interface Usage extends Balance {
  readonly recentSessions: readonly RecentSession[]
}

type UsageRow = Balance & { [K in keyof RecentSession]: RecentSession[K] | null } & { due: boolean | null }

/** One statement, so the balance and the sessions are of the same moment; no locks. */
const READ_USAGE = `
  SELECT a.granted_ms AS "grantedMs", a.available_ms AS "availableMs", a.reserved_ms AS "reservedMs",
         a.consumed_ms AS "consumedMs", s.id, s.model, s.status, s.audio_ms AS "audioMs", s.billable_ms AS "billableMs",
         s.created_at AS "createdAt", s.completed_at AS "completedAt", s.status = 'reserved' AND s.expires_at <= $2 AS due
  FROM accounts a LEFT JOIN LATERAL (
    SELECT * FROM sessions WHERE account_id = a.id ORDER BY created_at DESC, id DESC LIMIT ${MAX_RECENT_SESSIONS}
  ) s ON true
  WHERE a.id = $1 ORDER BY s.created_at DESC, s.id DESC`

export async function readUsage(db: Queryable, accountId: string, now: Date): Promise<Usage> {
  const rows = await db.query<UsageRow>(READ_USAGE, [accountId, now])
  if (!rows.some(row => row.due)) return toUsage(rows)
  // A reservation has expired and the sweep has not run yet: end it, so that the answer is exact to the second.
  await expireReservationsOf(db, accountId, now)
  return toUsage(await db.query<UsageRow>(READ_USAGE, [accountId, now]))
}

/** Locks the account's row, then the sessions it ends. */
async function expireReservationsOf(db: Queryable, accountId: string, now: Date): Promise<void> {
  await db.query(
    `SELECT end_session(id, 'reserved', 'expired', 'never_opened', 0, 0, $2)
     FROM sessions WHERE account_id = $1 AND status = 'reserved' AND expires_at <= $2`,
    [accountId, now],
  )
}

function toUsage(rows: readonly UsageRow[]): Usage {
  const { grantedMs, availableMs, reservedMs, consumedMs } = rows[0]!
  const recentSessions = rows.filter(row => row.id !== null).map(toRecentSession)
  return { grantedMs, availableMs, reservedMs, consumedMs, recentSessions }
}

function toRecentSession(row: UsageRow): RecentSession {
  const { id, model, status, audioMs, billableMs, createdAt, completedAt } = row as RecentSession
  return { id, model, status, audioMs, billableMs, createdAt, completedAt }
}
