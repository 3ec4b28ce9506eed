// Accounts as an operator looks for them: by a part of their name, of a member's address, or by their number.

import type { PageMark, Queryable } from '../db/port.ts'
import type { Account } from './accounts.ts'

export interface FoundAccount extends Account {
  /** Of the first member. */
  readonly email: string | null
}

export interface AccountSearch {
  readonly text: string
  readonly before: PageMark | undefined
  readonly limit: number
}

const COLUMNS = `a.id, a.name, a.active, a.concurrency_limit AS "concurrencyLimit", a.created_at AS "createdAt",
  a.granted_ms AS "grantedMs", a.available_ms AS "availableMs", a.reserved_ms AS "reservedMs", a.consumed_ms AS "consumedMs",
  (SELECT email FROM users u WHERE u.account_id = a.id ORDER BY u.created_at, u.id LIMIT 1) AS email`

/** Newest first. The text is a plain text: % and _ mean themselves. */
export function searchAccounts(
  db: Queryable,
  { text, before, limit }: AccountSearch,
): Promise<FoundAccount[]> {
  return db.query<FoundAccount>(
    `SELECT ${COLUMNS} FROM accounts a
     WHERE ($1 = '' OR a.id::text = $1 OR position($1 in lower(a.name)) > 0
            OR EXISTS (SELECT FROM users u WHERE u.account_id = a.id AND position($1 in u.email) > 0))
       AND ($2::timestamptz IS NULL OR (a.created_at, a.id) < ($2, $3::uuid))
     ORDER BY a.created_at DESC, a.id DESC LIMIT $4`,
    [text.trim().toLowerCase(), before?.at ?? null, before?.id ?? null, limit],
  )
}

export async function findAccount(db: Queryable, id: string): Promise<FoundAccount | undefined> {
  const [account] = await db.query<FoundAccount>(`SELECT ${COLUMNS} FROM accounts a WHERE a.id = $1`, [id])
  return account
}
