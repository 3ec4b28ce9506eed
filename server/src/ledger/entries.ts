// The newest entries of an account's ledger, as an operator reads them.

import type { Queryable } from '../db/port.ts'

export interface LedgerEntry {
  readonly id: number
  readonly kind: 'grant' | 'reserve' | 'settle' | 'release'
  readonly availableMs: number
  readonly reservedMs: number
  readonly consumedMs: number
  readonly sessionId: string | null
  /** Available credit after the entry. */
  readonly balanceMs: number
  readonly note: string | null
  readonly createdAt: Date
}

/** The balance after each is counted back from the account's own, in one statement, so that both are of the same moment. */
export function listEntries(db: Queryable, accountId: string, limit: number): Promise<LedgerEntry[]> {
  return db.query<LedgerEntry>(
    `SELECT e.id, e.kind, e.available_ms AS "availableMs", e.reserved_ms AS "reservedMs", e.consumed_ms AS "consumedMs",
            e.session_id AS "sessionId", e.note, e.created_at AS "createdAt",
            (a.available_ms - coalesce(sum(e.available_ms) OVER (
               ORDER BY e.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::bigint AS "balanceMs"
     FROM accounts a JOIN LATERAL (
       SELECT * FROM ledger_entries WHERE account_id = a.id ORDER BY id DESC LIMIT $2
     ) e ON true
     WHERE a.id = $1 ORDER BY e.id DESC`,
    [accountId, limit],
  )
}
