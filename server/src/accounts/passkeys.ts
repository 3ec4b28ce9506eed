// The passkeys of a person. Better Auth adds them and signs in with them (http/console/auth/passkeys.ts).

import type { Queryable } from '../db/port.ts'

export interface StoredPasskey {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

const COLUMNS = 'id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt"'

export function listPasskeys(db: Queryable, userId: string): Promise<StoredPasskey[]> {
  return db.query<StoredPasskey>(
    `SELECT ${COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY created_at, id`,
    [userId],
  )
}

/** Undefined when the person has no such passkey. */
export async function renamePasskey(
  db: Queryable,
  userId: string,
  id: string,
  name: string,
): Promise<StoredPasskey | undefined> {
  const [renamed] = await db.query<StoredPasskey>(
    `UPDATE passkeys SET name = $3 WHERE id = $2 AND user_id = $1 RETURNING ${COLUMNS}`,
    [userId, id, name],
  )
  return renamed
}

/** False when the person has no such passkey. */
export async function removePasskey(db: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await db.query('DELETE FROM passkeys WHERE id = $2 AND user_id = $1 RETURNING id', [
    userId,
    id,
  ])
  return rows.length === 1
}

export async function notePasskeyUse(db: Queryable, credentialId: string, now: Date): Promise<void> {
  await db.query('UPDATE passkeys SET last_used_at = $2 WHERE credential_id = $1', [credentialId, now])
}

/** The e-mail address of whoever has this passkey. */
export async function findPasskeyOwner(db: Queryable, credentialId: string): Promise<string | undefined> {
  const [owner] = await db.query<{ email: string }>(
    'SELECT u.email FROM passkeys p JOIN users u ON u.id = p.user_id WHERE p.credential_id = $1',
    [credentialId],
  )
  return owner?.email
}
