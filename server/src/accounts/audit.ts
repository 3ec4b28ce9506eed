// The log of what operators did, and of people who left. An entry is written in the same transaction as the deed, so neither stands without the other.

import type { Queryable, Tx } from '../db/port.ts'

export type AuditAction =
  | 'application.approve'
  | 'application.decline'
  | 'account.activate'
  | 'account.deactivate'
  | 'account.set_concurrency'
  | 'credit.grant'
  | 'user.password_link'
  | 'operator.create'
  | 'person.delete'

export interface Deed {
  readonly operator: { readonly id: string | null; readonly email: string }
  readonly action: AuditAction
  readonly target: string | null
  readonly details: Readonly<Record<string, string | number | boolean | null>>
  readonly now: Date
}

export interface StoredDeed extends Omit<Deed, 'operator' | 'now'> {
  readonly id: number
  readonly at: Date
  readonly operatorEmail: string
}

export async function recordDeed(tx: Tx, { operator, action, target, details, now }: Deed): Promise<void> {
  await tx.query(
    `INSERT INTO audit_entries (at, operator_id, operator_email, action, target, details) VALUES ($1, $2, $3, $4, $5, $6)`,
    [now, operator.id, operator.email, action, target, JSON.stringify(details)],
  )
}

export function listDeeds(db: Queryable, before: number | undefined, limit: number): Promise<StoredDeed[]> {
  return db.query<StoredDeed>(
    `SELECT id, at, operator_email AS "operatorEmail", action, target, details FROM audit_entries
     WHERE $1::bigint IS NULL OR id < $1 ORDER BY id DESC LIMIT $2`,
    [before ?? null, limit],
  )
}
