// The first operator comes from the command line: whoever may start the service may name who runs it.

import type { Queryable, Tx } from '../db/port.ts'
import { recordDeed } from './audit.ts'
import { createPasswordLink, type PasswordLink } from './password-link.ts'
import { createUser, findUserByEmail, promoteToOperator, type User } from './users.ts'

export interface NewOperator {
  readonly id: string
  readonly email: string
  readonly name: string
  /** An account that the operator may use as a developer. */
  readonly accountId: string | null
  readonly publicUrl: string
  readonly now: Date
}

/** Makes the address an operator, whether it is known or not, and gives a link with which to choose a password. */
export async function createOperator(
  tx: Tx,
  order: NewOperator,
): Promise<{ user: User; link: PasswordLink }> {
  const user = (await createUser(tx, { ...order, role: 'operator' })) ?? (await promote(tx, order))
  const link = await createPasswordLink(tx, { userId: user.id, publicUrl: order.publicUrl, now: order.now })
  await recordDeed(tx, {
    operator: { id: null, email: 'command line' },
    action: 'operator.create',
    target: user.email,
    details: {},
    now: order.now,
  })
  return { user, link }
}

export function listOperators(db: Queryable): Promise<User[]> {
  return db.query<User>(
    `SELECT id, name, email, role, account_id AS "accountId" FROM users WHERE role = 'operator' ORDER BY created_at, id`,
  )
}

async function promote(tx: Tx, { email, now }: NewOperator): Promise<User> {
  const known = await findUserByEmail(tx, email)
  await promoteToOperator(tx, known!.id, now)
  return { ...known!, role: 'operator' }
}
