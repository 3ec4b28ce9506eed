// Somebody whose organisation vouches for their e-mail address gets an account without an invitation. It has no credit: they ask for it.

import type { Tx } from '../db/port.ts'
import { createAccount } from './accounts.ts'
import { recordAction } from './audit.ts'
import { createUser, findUserByEmail } from './users.ts'

export interface Colleague {
  readonly email: string
  readonly name: string
  readonly userId: string
  readonly accountId: string
  readonly now: Date
}

/** Does nothing for somebody who is known already. */
export async function admitColleague(tx: Tx, colleague: Colleague): Promise<void> {
  const { email, name, userId, accountId, now } = colleague
  if (await findUserByEmail(tx, email)) return
  await createAccount(tx, { id: accountId, name, creditMs: 0, now })
  const user = await createUser(tx, {
    id: userId,
    name,
    email,
    role: 'developer',
    operatorRole: 'owner',
    accountId,
    now,
  })
  if (!user) throw new Error('the person was created at the same moment')
  await recordAction(tx, {
    actor: { id: userId, email: user.email, address: null },
    action: 'account.create',
    target: accountId,
    details: { credit_seconds: 0, with: 'organisation' },
    now,
  })
}
