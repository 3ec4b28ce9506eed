// The newest entries of an account's ledger, as an operator reads them.

import type { Queryable } from '../db/port.ts'

export interface LedgerEntry {
  readonly id: number
  readonly kind: 'grant' | 'reserve' | 'settle' | 'release'
  readonly availableMs: number
  readonly reservedMs: number
  readonly consumedMs: number
  readonly sessionId: string | null
  readonly note: string | null
  readonly createdAt: Date
}

export function listEntries(db: Queryable, accountId: string, limit: number): Promise<LedgerEntry[]> {
  return db.query<LedgerEntry>(
    `SELECT id, kind, available_ms AS "availableMs", reserved_ms AS "reservedMs", consumed_ms AS "consumedMs",
            session_id AS "sessionId", note, created_at AS "createdAt"
     FROM ledger_entries WHERE account_id = $1 ORDER BY id DESC LIMIT $2`,
    [accountId, limit],
  )
}
