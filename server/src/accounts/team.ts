// The people of an account as their owner sees them. An invitation to somebody who already has a sign-in looks like any other that was not
// accepted yet, so that owners cannot find out who uses the service.

import type { AccountRole } from '@sauti/protocol/console'
import type { Queryable } from '../db/port.ts'
import { type NewUser, normalizeEmail } from './users.ts'

export interface NewMember extends NewUser {
  readonly accountId: string
  readonly accountRole: AccountRole
}

export interface TeamEntry {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: AccountRole
  /** Has chosen a password, or signed in with an organisation. */
  readonly hasJoined: boolean
}

export function listTeam(db: Queryable, accountId: string): Promise<TeamEntry[]> {
  return db.query<TeamEntry>(
    `SELECT id, name, email, role, "hasJoined" FROM (
       SELECT id, name, email, account_role AS role, created_at,
              EXISTS (SELECT FROM user_credentials c WHERE c.user_id = u.id) AS "hasJoined"
       FROM users u WHERE account_id = $1
       UNION ALL
       SELECT id, name, email, account_role, created_at, false FROM idle_invitations WHERE account_id = $1
     ) entries ORDER BY created_at, id`,
    [accountId],
  )
}

/** False when the owner sees the address on the team already. */
export async function addIdleInvitation(db: Queryable, person: NewMember): Promise<boolean> {
  const added = await db.query(
    `INSERT INTO idle_invitations (id, account_id, name, email, account_role, created_at)
     SELECT $1, $2, $3, $4, $5, $6 WHERE NOT EXISTS (SELECT FROM users WHERE account_id = $2 AND email = $4)
     ON CONFLICT ON CONSTRAINT idle_invitations_once DO NOTHING RETURNING id`,
    [person.id, person.accountId, person.name, normalizeEmail(person.email), person.accountRole, person.now],
  )
  return added.length === 1
}

/** False when the account has no such invitation. */
export async function removeIdleInvitation(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const removed = await db.query(
    'DELETE FROM idle_invitations WHERE account_id = $1 AND id = $2 RETURNING id',
    [accountId, id],
  )
  return removed.length === 1
}
