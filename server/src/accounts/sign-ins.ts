// The sign-ins of a person: where they are signed in, and when each was last confirmed with the password.

import type { Queryable } from '../db/port.ts'

export interface StoredSignIn {
  readonly id: string
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly address: string | null
  readonly browser: string | null
}

export interface NewSignIn {
  readonly userId: string
  readonly address: string
  readonly browser: string
  readonly now: Date
}

/** Notes from where the person has just signed in: their newest sign-in, which the password confirms. */
export async function describeNewestSignIn(
  db: Queryable,
  { userId, address, browser, now }: NewSignIn,
): Promise<void> {
  await db.query(
    `UPDATE sign_ins SET confirmed_at = $2, address = $3, browser = $4 WHERE id = (
       SELECT id FROM sign_ins WHERE user_id = $1 AND confirmed_at IS NULL ORDER BY created_at DESC, id LIMIT 1)`,
    [userId, now, address, browser],
  )
}

/** The password was given again. */
export async function confirmSignIn(db: Queryable, signInId: string, now: Date): Promise<void> {
  await db.query('UPDATE sign_ins SET confirmed_at = $2 WHERE id = $1', [signInId, now])
}

/** Whether the password was given since then. */
export async function isConfirmedSince(db: Queryable, signInId: string, since: Date): Promise<boolean> {
  const rows = await db.query('SELECT FROM sign_ins WHERE id = $1 AND confirmed_at > $2', [signInId, since])
  return rows.length === 1
}

export function listSignIns(db: Queryable, userId: string, now: Date): Promise<StoredSignIn[]> {
  return db.query<StoredSignIn>(
    `SELECT id, created_at AS "createdAt", updated_at AS "lastSeenAt", address, browser FROM sign_ins
     WHERE user_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id`,
    [userId, now],
  )
}

/** False when the person has no such sign-in. */
export async function endSignIn(db: Queryable, userId: string, signInId: string): Promise<boolean> {
  const rows = await db.query('DELETE FROM sign_ins WHERE id = $2 AND user_id = $1 RETURNING id', [
    userId,
    signInId,
  ])
  return rows.length === 1
}
