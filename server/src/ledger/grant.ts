// Adds credit: the only entry that does not come from a session.

import type { Queryable } from '../db/port.ts'

export interface Grant {
  readonly accountId: string
  readonly amountMs: number
  readonly note: string | null
  readonly now: Date
}

/** False when there is no such account. One statement; locks the account's row by the entry's trigger. */
export async function grantCredit(
  db: Queryable,
  { accountId, amountMs, note, now }: Grant,
): Promise<boolean> {
  const rows = await db.query(
    `INSERT INTO ledger_entries (account_id, kind, available_ms, reserved_ms, consumed_ms, note, created_at)
     SELECT id, 'grant', $2, 0, 0, $3, $4 FROM accounts WHERE id = $1 RETURNING id`,
    [accountId, amountMs, note, now],
  )
  return rows.length === 1
}
