// Operators and their roles. The first one comes from the command line: whoever may start the service may name who runs it.

import type { OperatorRole } from '@sauti/protocol/console'
import { ServiceError } from '@sauti/protocol/errors'
import type { Queryable, Tx } from '../db/port.ts'
import { type Actor, recordAction } from './audit.ts'
import { createPasswordLink, type PasswordLink } from './password-link.ts'
import { createUser, endSignIns, findUser, findUserByEmail, promoteToOperator, type User } from './users.ts'

export interface NewOperator {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly operatorRole: OperatorRole
  /** An account that the operator may use as a developer. */
  readonly accountId: string | null
  readonly actor: Actor
  readonly publicUrl: string
  readonly now: Date
}

/** Makes the address an operator, whether it is known or not, and returns a link for choosing a password. */
export async function createOperator(
  tx: Tx,
  order: NewOperator,
): Promise<{ user: User; link: PasswordLink }> {
  const { operatorRole, actor, publicUrl, now } = order
  const user = (await createUser(tx, { ...order, role: 'operator' })) ?? (await promote(tx, order))
  const link = await createPasswordLink(tx, { userId: user.id, purpose: 'invitation', publicUrl, now })
  const details = { role: operatorRole }
  await recordAction(tx, { actor, action: 'operator.create', target: user.email, details, now })
  return { user, link }
}

async function promote(tx: Tx, { email, operatorRole, now }: NewOperator): Promise<User> {
  const known = await findUserByEmail(tx, email)
  if (known?.role === 'operator' && known.operatorRole === 'owner' && operatorRole !== 'owner')
    await keepOneOwner(tx, known.id)
  await promoteToOperator(tx, known!.id, operatorRole, now)
  return { ...known!, role: 'operator', operatorRole }
}

export interface OperatorRow extends User {
  readonly lastSignInAt: Date | null
}

export function listOperators(db: Queryable): Promise<OperatorRow[]> {
  return db.query<OperatorRow>(
    `SELECT id, name, email, role, operator_role AS "operatorRole", account_id AS "accountId",
            two_factor_enabled AS "hasOneTimeCodes",
            (SELECT max(created_at) FROM sign_ins s WHERE s.user_id = users.id) AS "lastSignInAt"
     FROM users WHERE role = 'operator' ORDER BY created_at, id`,
  )
}

export interface OperatorChange {
  readonly userId: string
  readonly actor: Actor
  readonly now: Date
}

/** Throws record_not_found, and last_operator where nobody else would be an owner. */
export async function setOperatorRole(
  tx: Tx,
  operatorRole: OperatorRole,
  { userId, actor, now }: OperatorChange,
): Promise<void> {
  const operator = await findOperator(tx, userId)
  if (operatorRole !== 'owner') await keepOneOwner(tx, userId)
  await promoteToOperator(tx, userId, operatorRole, now)
  const details = { role: operatorRole }
  await recordAction(tx, { actor, action: 'operator.set_role', target: operator.email, details, now })
}

/**
 * Ends all sign-ins. Somebody with an account stays as its developer; somebody without one has nothing left to sign in for. What
 * they did stays in the audit log under their name. Throws as setOperatorRole does.
 */
export async function removeOperator(tx: Tx, { userId, actor, now }: OperatorChange): Promise<void> {
  const operator = await findOperator(tx, userId)
  await keepOneOwner(tx, userId)
  if (operator.accountId === null) {
    await tx.query('UPDATE applications SET decided_by = NULL WHERE decided_by = $1', [userId])
    await tx.query('DELETE FROM users WHERE id = $1', [userId])
  } else {
    await tx.query("UPDATE users SET role = 'developer', updated_at = $2 WHERE id = $1", [userId, now])
    await endSignIns(tx, userId)
  }
  await recordAction(tx, { actor, action: 'operator.remove', target: operator.email, now })
}

async function findOperator(tx: Tx, userId: string): Promise<User> {
  const user = await findUser(tx, userId)
  if (user?.role !== 'operator') throw new ServiceError('record_not_found')
  return user
}

/** Somebody else must be an owner. Locks all operators: of two who go at the same moment the second sees that the first is gone. */
export async function keepOneOwner(tx: Tx, leavingId: string): Promise<void> {
  const operators = await tx.query<{ id: string; operatorRole: OperatorRole }>(
    `SELECT id, operator_role AS "operatorRole" FROM users WHERE role = 'operator' ORDER BY id FOR UPDATE`,
  )
  if (!operators.some(({ id, operatorRole }) => id !== leavingId && operatorRole === 'owner'))
    throw new ServiceError('last_operator')
}

/** Seconds of credit that an operator has granted since then. Locks the operator's row, so that grants are counted one by one. */
export async function secondsGrantedSince(tx: Tx, operatorId: string, since: Date): Promise<number> {
  await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [operatorId])
  const [row] = await tx.query<{ seconds: number }>(
    `SELECT coalesce(sum((details->>'seconds')::bigint), 0)::bigint AS seconds FROM audit_entries
     WHERE operator_id = $1 AND action = 'credit.grant' AND at > $2`,
    [operatorId, since],
  )
  return row!.seconds
}
