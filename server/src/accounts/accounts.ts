// Accounts: who holds credit, whether they may use it, and how many sessions at once.

import type { Queryable, Tx } from '../db/port.ts'
import { grantCredit } from '../ledger/grant.ts'
import type { Balance } from '../ledger/usage.ts'

export interface Account extends Balance {
  readonly id: string
  readonly name: string
  readonly active: boolean
  readonly concurrencyLimit: number
  readonly createdAt: Date
}

export interface NewAccount {
  readonly id: string
  readonly name: string
  /** Credit to begin with; 0: none. */
  readonly creditMs: number
  readonly now: Date
}

export async function createAccount(tx: Tx, { id, name, creditMs, now }: NewAccount): Promise<void> {
  await tx.query('INSERT INTO accounts (id, name, created_at) VALUES ($1, $2, $3)', [id, name, now])
  if (creditMs > 0) await grantCredit(tx, { accountId: id, amountMs: creditMs, note: 'Starting credit', now })
}

export function listAccounts(db: Queryable): Promise<Account[]> {
  return db.query<Account>(
    `SELECT id, name, active, concurrency_limit AS "concurrencyLimit", created_at AS "createdAt", granted_ms AS "grantedMs",
            available_ms AS "availableMs", reserved_ms AS "reservedMs", consumed_ms AS "consumedMs"
     FROM accounts ORDER BY created_at, id`,
  )
}

/** False when there is no such account. Open streams of an inactive account are closed by their node. */
export async function setAccountActive(db: Queryable, id: string, active: boolean): Promise<boolean> {
  return changesOne(db.query('UPDATE accounts SET active = $2 WHERE id = $1 RETURNING id', [id, active]))
}

/** False when there is no such account. A lower limit ends nothing; it holds for the next session. */
export async function setConcurrencyLimit(db: Queryable, id: string, limit: number): Promise<boolean> {
  return changesOne(
    db.query('UPDATE accounts SET concurrency_limit = $2 WHERE id = $1 RETURNING id', [id, limit]),
  )
}

async function changesOne(rows: Promise<unknown[]>): Promise<boolean> {
  return (await rows).length === 1
}
