// The log of everything that people change, of sign-ins, and of people who left. An entry is written in the same transaction as
// the action, so neither exists without the other. The database chains the entries (migration 0010).

import type { Queryable, Tx } from '../db/port.ts'

export type AuditAction =
  | 'account.activate'
  | 'account.create'
  | 'account.deactivate'
  | 'account.set_concurrency'
  | 'application.approve'
  | 'application.decline'
  | 'application.submit'
  | 'application.withdraw'
  | 'credit.dismiss'
  | 'credit.grant'
  | 'credit.request'
  | 'key.create'
  | 'key.revoke'
  | 'key.rotate'
  | 'key.update'
  | 'member.invite'
  | 'member.remove'
  | 'one_time_codes.disable'
  | 'one_time_codes.enable'
  | 'one_time_codes.reset'
  | 'operator.create'
  | 'operator.remove'
  | 'operator.set_role'
  | 'passkey.add'
  | 'passkey.remove'
  | 'password.change'
  | 'password.request_link'
  | 'password.set'
  | 'person.delete'
  | 'person.rename'
  | 'sign_in.end'
  | 'sign_in.end_all'
  | 'sign_in.refuse'
  | 'sign_in.start'
  | 'user.password_link'

export interface Actor {
  readonly id: string | null
  /** What the actor is called in the log: an e-mail address, or one of the fixed names below. */
  readonly email: string
  /** The network address that the request came from. */
  readonly address: string | null
}

/** Whoever may run commands on the machine of the service. */
export const COMMAND_LINE: Actor = { id: null, email: 'command line', address: null }

/** Somebody who is not signed in. */
export function visitorFrom(address: string): Actor {
  return { id: null, email: 'visitor', address }
}

export interface Action {
  readonly actor: Actor
  readonly action: AuditAction
  readonly target: string | null
  /** Never secrets, and no names of people: what says who they are must be forgotten when they leave. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
  readonly now: Date
}

export interface StoredAction {
  readonly id: number
  readonly at: Date
  readonly actor: string
  readonly address: string | null
  readonly action: AuditAction
  readonly target: string | null
  /** Of the account, key or person that is the target. */
  readonly targetName: string | null
  /** The account that the target is, or belongs to. */
  readonly targetAccountId: string | null
  readonly details: Readonly<Record<string, string | number | boolean | null>>
}

/** Write it last: all entries wait for each other until their transactions end. */
export async function recordAction(
  tx: Tx,
  { actor, action, target, details = {}, now }: Action,
): Promise<void> {
  await tx.query(
    `INSERT INTO audit_entries (at, operator_id, operator_email, address, action, target, details)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [now, actor.id, actor.email, actor.address, action, target, JSON.stringify(details)],
  )
}

export function listActions(
  db: Queryable,
  before: number | undefined,
  limit: number,
): Promise<StoredAction[]> {
  return db.query<StoredAction>(
    `SELECT e.id, e.at, e.operator_email AS actor, e.address, e.action, e.target, e.details,
            coalesce(a.name, k.name, u.name) AS "targetName",
            coalesce(a.id, k.account_id, u.account_id) AS "targetAccountId"
     FROM audit_entries e LEFT JOIN accounts a ON a.id::text = e.target LEFT JOIN api_keys k ON k.id::text = e.target
     LEFT JOIN users u ON u.id::text = e.target
     WHERE $1::bigint IS NULL OR e.id < $1 ORDER BY e.id DESC LIMIT $2`,
    [before ?? null, limit],
  )
}
