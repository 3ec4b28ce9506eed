// The people who sign in to the console: developers, each with an account, and operators.

import type { AccountRole, OperatorRole, Role } from '@sauti/protocol/console'
import type { Queryable, Tx } from '../db/port.ts'

export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: Role
  /** Counts only for operators. */
  readonly operatorRole: OperatorRole
  readonly accountId: string | null
  /** Whether signing in asks for a one-time code. */
  readonly hasOneTimeCodes: boolean
}

export interface NewUser extends Omit<User, 'hasOneTimeCodes'> {
  /** What they may do on the account; an owner where it is not said. */
  readonly accountRole?: AccountRole
  readonly now: Date
}

const COLUMNS = `id, name, email, role, operator_role AS "operatorRole", two_factor_enabled AS "hasOneTimeCodes",
  account_id AS "accountId"`

/** Addresses are compared and kept without case and outer spaces. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Undefined when the address already has a user. */
export async function createUser(db: Queryable, user: NewUser): Promise<User | undefined> {
  const [created] = await db.query<User>(
    `INSERT INTO users (id, name, email, role, operator_role, account_id, account_role, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
     ON CONFLICT ON CONSTRAINT users_email_unique DO NOTHING
     RETURNING ${COLUMNS}`,
    [
      user.id,
      user.name,
      normalizeEmail(user.email),
      user.role,
      user.operatorRole,
      user.accountId,
      user.accountRole ?? 'owner',
      user.now,
    ],
  )
  return created
}

export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const [user] = await db.query<User>(`SELECT ${COLUMNS} FROM users WHERE email = $1`, [
    normalizeEmail(email),
  ])
  return user
}

export async function findUser(db: Queryable, id: string): Promise<User | undefined> {
  const [user] = await db.query<User>(`SELECT ${COLUMNS} FROM users WHERE id = $1`, [id])
  return user
}

export async function renameUser(db: Queryable, id: string, name: string, now: Date): Promise<void> {
  await db.query('UPDATE users SET name = $2, updated_at = $3 WHERE id = $1', [id, name, now])
}

/** For an operator, who needs none. */
export async function unlinkAccount(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query('UPDATE users SET account_id = NULL, updated_at = $2 WHERE id = $1', [id, now])
}

/** As its owner, whatever they were on another account before. False when the person already has an account. */
export async function linkAccount(db: Queryable, id: string, accountId: string, now: Date): Promise<boolean> {
  const linked = await db.query(
    `UPDATE users SET account_id = $2, account_role = 'owner', updated_at = $3
     WHERE id = $1 AND account_id IS NULL RETURNING id`,
    [id, accountId, now],
  )
  return linked.length === 1
}

/** Makes a known person an operator; the account stays theirs. */
export async function promoteToOperator(
  db: Queryable,
  userId: string,
  operatorRole: OperatorRole,
  now: Date,
): Promise<void> {
  await db.query("UPDATE users SET role = 'operator', operator_role = $2, updated_at = $3 WHERE id = $1", [
    userId,
    operatorRole,
    now,
  ])
}

/** Signs the person out everywhere. */
export async function endSignIns(db: Queryable, userId: string): Promise<void> {
  await db.query('DELETE FROM sign_ins WHERE user_id = $1', [userId])
}

/** What nobody can use any more is not kept. */
export async function dropEndedSignIns(db: Queryable, now: Date): Promise<void> {
  await db.query('DELETE FROM sign_ins WHERE expires_at <= $1', [now])
  await db.query('DELETE FROM auth_verifications WHERE expires_at <= $1', [now])
}

export async function hasPassword(db: Queryable, userId: string): Promise<boolean> {
  const rows = await db.query('SELECT FROM user_credentials WHERE user_id = $1 AND password IS NOT NULL', [
    userId,
  ])
  return rows.length > 0
}

export async function findAccountRole(db: Queryable, id: string): Promise<AccountRole | undefined> {
  const [found] = await db.query<{ role: AccountRole }>(
    'SELECT account_role AS role FROM users WHERE id = $1',
    [id],
  )
  return found?.role
}

/** An account always has an owner: where none is left, whoever has been there longest. */
export async function keepAnOwner(db: Queryable, accountId: string): Promise<void> {
  await db.query(
    `UPDATE users SET account_role = 'owner' WHERE id = (
       SELECT id FROM users u WHERE account_id = $1
         AND NOT EXISTS (SELECT FROM users o WHERE o.account_id = $1 AND o.account_role = 'owner')
       ORDER BY created_at, id LIMIT 1)`,
    [accountId],
  )
}

export interface AccountMember extends User {
  readonly accountRole: AccountRole
  readonly hasPassword: boolean
  /** Has chosen a password, or signed in with an organisation. */
  readonly hasJoined: boolean
  readonly lastSignInAt: Date | null
}

export function listMembers(db: Queryable, accountId: string): Promise<AccountMember[]> {
  return db.query<AccountMember>(
    `SELECT u.id, u.name, u.email, u.role, u.operator_role AS "operatorRole",
            u.two_factor_enabled AS "hasOneTimeCodes", u.account_id AS "accountId",
            u.account_role AS "accountRole",
            EXISTS (SELECT FROM user_credentials c WHERE c.user_id = u.id AND c.password IS NOT NULL) AS "hasPassword",
            EXISTS (SELECT FROM user_credentials c WHERE c.user_id = u.id) AS "hasJoined",
            (SELECT max(created_at) FROM sign_ins s WHERE s.user_id = u.id) AS "lastSignInAt"
     FROM users u WHERE u.account_id = $1 ORDER BY u.created_at, u.id`,
    [accountId],
  )
}

/** Nobody else leaves the account until the transaction ends. */
export async function lockMembers(tx: Tx, accountId: string): Promise<AccountMember[]> {
  await tx.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId])
  return listMembers(tx, accountId)
}

/** For somebody who has lost their authenticator: the password alone is enough again. */
export async function resetOneTimeCodes(db: Queryable, userId: string): Promise<void> {
  await db.query('DELETE FROM two_factors WHERE user_id = $1', [userId])
  await db.query('UPDATE users SET two_factor_enabled = false WHERE id = $1', [userId])
}
