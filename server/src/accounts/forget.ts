// A person leaves: the sign-in and everything that identifies them is deleted; what was paid for and what operators did is kept,
// without a name. The account goes with its last member: its keys are revoked and its open streams end.

import type { Tx } from '../db/port.ts'
import { recordAction } from './audit.ts'
import { keepOneOwner } from './operators.ts'
import { findUser, findUserByEmail, keepAnOwner, lockMembers, type User } from './users.ts'
import { withdrawApplication } from './waitlist.ts'

/** Replaces the address of somebody who left in the audit log; the migration uses the same words. */
const FORGOTTEN = 'a deleted person'
const CLOSED_ACCOUNT_NAME = 'Deleted account'

/** Throws last_operator: somebody must be able to admit people. */
export async function forgetPerson(tx: Tx, userId: string, now: Date): Promise<void> {
  const user = await findUser(tx, userId)
  if (user === undefined) return
  if (user.role === 'operator') await keepOneOwner(tx, user.id)
  if (user.accountId !== null && (await isLastMember(tx, user.accountId)))
    await closeAccount(tx, user.accountId, now)
  await forgetAddress(tx, user)
  // Sign-ins, password and links go with the row.
  await tx.query('DELETE FROM users WHERE id = $1', [user.id])
  if (user.accountId !== null) await keepAnOwner(tx, user.accountId)
  await recordAction(tx, {
    actor: { id: user.id, email: FORGOTTEN, address: null },
    action: 'person.delete',
    target: user.accountId,
    now,
  })
}

/** Somebody who asked to join and was not let in. The address of a member stays: anybody may have asked in their name. */
export async function forgetApplicant(tx: Tx, token: string): Promise<void> {
  const withdrawn = await withdrawApplication(tx, token)
  if (withdrawn === undefined || (await findUserByEmail(tx, withdrawn.email))) return
  await forgetInAudit(tx, withdrawn.email)
}

/** Two members who leave at the same moment must not each count on the other. */
async function isLastMember(tx: Tx, accountId: string): Promise<boolean> {
  return (await lockMembers(tx, accountId)).length === 1
}

/** Its name may be that of the person, and so may those of its keys. The ledger keeps its entries: they name nobody. */
async function closeAccount(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.query('UPDATE accounts SET active = false, name = $2 WHERE id = $1', [
    accountId,
    CLOSED_ACCOUNT_NAME,
  ])
  await tx.query(
    "UPDATE api_keys SET name = '', revoked_at = coalesce(revoked_at, $2) WHERE account_id = $1",
    [accountId, now],
  )
  await tx.query('DELETE FROM applications WHERE account_id = $1', [accountId])
  await tx.query('DELETE FROM idle_invitations WHERE account_id = $1', [accountId])
}

async function forgetAddress(tx: Tx, { id, email }: User): Promise<void> {
  await tx.query('DELETE FROM applications WHERE email = $1', [email])
  await tx.query('DELETE FROM idle_invitations WHERE email = $1', [email])
  await tx.query('UPDATE applications SET decided_by = NULL WHERE decided_by = $1', [id])
  await forgetInAudit(tx, email)
}

async function forgetInAudit(tx: Tx, email: string): Promise<void> {
  await tx.query(
    `UPDATE audit_entries SET
       operator_email = CASE operator_email WHEN $1 THEN $2 ELSE operator_email END,
       target = CASE target WHEN $1 THEN $2 ELSE target END
     WHERE operator_email = $1 OR target = $1`,
    [email, FORGOTTEN],
  )
}
