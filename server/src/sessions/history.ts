// Past and current sessions, newest first, with filters: for an account's own page, for operators, and as CSV. Never what
// was said in them.

import type { SessionStatus } from '@sauti/protocol/http'
import type { PageMark, Queryable } from '../db/port.ts'

export interface SessionFilter {
  /** Undefined: of all accounts. */
  readonly accountId?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** `playground` for sessions without a key. */
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly status?: SessionStatus | undefined
  readonly before?: PageMark | undefined
  readonly limit: number
}

export interface PastSession {
  readonly id: string
  readonly accountId: string
  readonly accountName: string
  readonly keyId: string | null
  readonly keyName: string | null
  readonly model: string
  readonly status: SessionStatus
  readonly ending: string | null
  readonly reservedMs: number
  readonly audioMs: number
  readonly billableMs: number
  readonly createdAt: Date
  readonly completedAt: Date | null
  readonly nodeId: string
}

/** One statement for every filter: what is not asked for is NULL and holds for all rows. No locks. */
export function listSessions(db: Queryable, filter: SessionFilter): Promise<PastSession[]> {
  const { accountId, from, to, key, model, status, before, limit } = filter
  const keyId = key === 'playground' ? null : key
  return db.query<PastSession>(
    `SELECT s.id, s.account_id AS "accountId", a.name AS "accountName", k.id AS "keyId", k.name AS "keyName", s.model, s.status,
            s.ending, s.reserved_ms AS "reservedMs", s.audio_ms AS "audioMs", s.billable_ms AS "billableMs",
            s.created_at AS "createdAt", s.completed_at AS "completedAt", s.node_id AS "nodeId"
     FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN api_keys k ON k.id = s.api_key_id
     WHERE ($1::uuid IS NULL OR s.account_id = $1)
       AND ($2::timestamptz IS NULL OR s.created_at >= $2) AND ($3::timestamptz IS NULL OR s.created_at < $3)
       AND ($4::uuid IS NULL OR s.api_key_id = $4) AND (NOT $5::boolean OR s.api_key_id IS NULL)
       AND ($6::text IS NULL OR s.model = $6) AND ($7::text IS NULL OR s.status = $7)
       AND ($8::timestamptz IS NULL OR (s.created_at, s.id) < ($8, $9::uuid))
     ORDER BY s.created_at DESC, s.id DESC LIMIT $10`,
    [
      accountId ?? null,
      from ?? null,
      to ?? null,
      keyId ?? null,
      key === 'playground',
      model ?? null,
      status ?? null,
      before?.at ?? null,
      before?.id ?? null,
      limit,
    ],
  )
}
