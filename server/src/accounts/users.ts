// The people who sign in to the console: developers, each with an account, and operators.

import type { Role } from '@sauti/protocol/console'
import type { Queryable } from '../db/port.ts'

export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly accountId: string | null
}

export interface NewUser extends User {
  readonly now: Date
}

/** Addresses are compared and kept without case and outer spaces. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Undefined when the address already has a user. */
export async function createUser(db: Queryable, user: NewUser): Promise<User | undefined> {
  const [created] = await db.query<User>(
    `INSERT INTO users (id, name, email, role, account_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6)
     ON CONFLICT ON CONSTRAINT users_email_unique DO NOTHING
     RETURNING id, name, email, role, account_id AS "accountId"`,
    [user.id, user.name, normalizeEmail(user.email), user.role, user.accountId, user.now],
  )
  return created
}

export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const [user] = await db.query<User>(
    'SELECT id, name, email, role, account_id AS "accountId" FROM users WHERE email = $1',
    [normalizeEmail(email)],
  )
  return user
}

export async function findUser(db: Queryable, id: string): Promise<User | undefined> {
  const [user] = await db.query<User>(
    'SELECT id, name, email, role, account_id AS "accountId" FROM users WHERE id = $1',
    [id],
  )
  return user
}

export async function renameUser(db: Queryable, id: string, name: string, now: Date): Promise<void> {
  await db.query('UPDATE users SET name = $2, updated_at = $3 WHERE id = $1', [id, name, now])
}

/** Makes a known person an operator; the account stays theirs. */
export async function promoteToOperator(db: Queryable, userId: string, now: Date): Promise<void> {
  await db.query("UPDATE users SET role = 'operator', updated_at = $2 WHERE id = $1", [userId, now])
}

/** What nobody can use any more is not kept. */
export async function dropEndedSignIns(db: Queryable, now: Date): Promise<void> {
  await db.query('DELETE FROM sign_ins WHERE expires_at <= $1', [now])
}

export interface AccountMember extends User {
  readonly hasPassword: boolean
  readonly lastSignInAt: Date | null
}

export function listMembers(db: Queryable, accountId: string): Promise<AccountMember[]> {
  return db.query<AccountMember>(
    `SELECT u.id, u.name, u.email, u.role, u.account_id AS "accountId",
            EXISTS (SELECT FROM user_credentials c WHERE c.user_id = u.id) AS "hasPassword",
            (SELECT max(created_at) FROM sign_ins s WHERE s.user_id = u.id) AS "lastSignInAt"
     FROM users u WHERE u.account_id = $1 ORDER BY u.created_at, u.id`,
    [accountId],
  )
}
