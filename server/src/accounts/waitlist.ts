// The waitlist: who asks to join, and the operator's decision. Whoever asks gets the same answer, whether the address is
// new, waits already or has an account, so that nobody can find out who uses the service.

import { createHash } from 'node:crypto'
import type { PageMark, Queryable, Tx } from '../db/port.ts'
import { createAccount } from './accounts.ts'
import { createUser, normalizeEmail, type User } from './users.ts'

export type ApplicationStatus = 'waiting' | 'approved' | 'declined'

export interface NewApplication {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly organisation: string
  readonly useCase: string
  /** The secret of the applicant's browser, with which it asks for the decision. */
  readonly token: string
  readonly now: Date
}

export interface StoredApplication {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly organisation: string
  readonly useCase: string
  readonly status: ApplicationStatus
  readonly createdAt: Date
  readonly decidedAt: Date | null
  readonly decidedBy: string | null
  readonly accountId: string | null
}

/** Does nothing when the address is already waiting or has a user. Says which, for the operator's e-mail and nobody else. */
export async function apply(db: Queryable, application: NewApplication): Promise<'new' | 'known'> {
  const rows = await db.query(
    `INSERT INTO applications (id, name, email, organisation, use_case, token_hash, created_at)
     SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT FROM users WHERE email = $3)
     ON CONFLICT (email) WHERE status = 'waiting' DO NOTHING RETURNING id`,
    [
      application.id,
      application.name,
      normalizeEmail(application.email),
      application.organisation,
      application.useCase,
      hashToken(application.token),
      application.now,
    ],
  )
  return rows.length === 1 ? 'new' : 'known'
}

/** A token that belongs to no application waits for ever: it was given to somebody who asked for a known address. */
export async function readApplicationStatus(db: Queryable, token: string): Promise<ApplicationStatus> {
  const [found] = await db.query<{ status: ApplicationStatus }>(
    'SELECT status FROM applications WHERE token_hash = $1',
    [hashToken(token)],
  )
  return found?.status ?? 'waiting'
}

/** Deletes it and gives its address. Undefined where there is none, or where it was approved: then a person leaves, not a request. */
export async function withdrawApplication(tx: Tx, token: string): Promise<{ email: string } | undefined> {
  const [withdrawn] = await tx.query<{ email: string }>(
    "DELETE FROM applications WHERE token_hash = $1 AND status <> 'approved' RETURNING email",
    [hashToken(token)],
  )
  return withdrawn
}

export interface ApplicationPage {
  readonly status: ApplicationStatus
  readonly before: PageMark | undefined
  readonly limit: number
}

export function listApplications(
  db: Queryable,
  { status, before, limit }: ApplicationPage,
): Promise<StoredApplication[]> {
  return db.query<StoredApplication>(
    `SELECT p.id, p.name, p.email, p.organisation, p.use_case AS "useCase", p.status, p.created_at AS "createdAt",
            p.decided_at AS "decidedAt", u.email AS "decidedBy", p.account_id AS "accountId"
     FROM applications p LEFT JOIN users u ON u.id = p.decided_by
     WHERE p.status = $1 AND ($2::timestamptz IS NULL OR (p.created_at, p.id) < ($2, $3::uuid))
     ORDER BY p.created_at DESC, p.id DESC LIMIT $4`,
    [status, before?.at ?? null, before?.id ?? null, limit],
  )
}

export interface Decision {
  readonly applicationId: string
  readonly operatorId: string
  readonly now: Date
}

export interface Approval extends Decision {
  readonly accountId: string
  readonly userId: string
  readonly creditMs: number
}

/** Opens the account with its starting credit and makes the applicant its member. Undefined when it was decided before. */
export async function approveApplication(tx: Tx, approval: Approval): Promise<User | undefined> {
  const { accountId, userId, creditMs, now } = approval
  const application = await decide(tx, approval, 'approved')
  if (application === undefined) return undefined
  const accountName = application.organisation || application.name
  await createAccount(tx, { id: accountId, name: accountName, creditMs, now })
  const user = await createUser(tx, {
    id: userId,
    name: application.name,
    email: application.email,
    role: 'developer',
    operatorRole: 'auditor',
    accountId,
    now,
  })
  await tx.query('UPDATE applications SET account_id = $2 WHERE id = $1', [approval.applicationId, accountId])
  return user
}

/** Undefined when it was decided before. */
export async function declineApplication(tx: Tx, decision: Decision): Promise<{ email: string } | undefined> {
  return decide(tx, decision, 'declined')
}

/** Locks the application's row: of two operators one decides. */
async function decide(
  tx: Tx,
  { applicationId, operatorId, now }: Decision,
  status: ApplicationStatus,
): Promise<{ name: string; email: string; organisation: string } | undefined> {
  const [decided] = await tx.query<{ name: string; email: string; organisation: string }>(
    `UPDATE applications SET status = $2, decided_at = $3, decided_by = $4
     WHERE id = $1 AND status = 'waiting' RETURNING name, email, organisation`,
    [applicationId, status, now, operatorId],
  )
  return decided
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
