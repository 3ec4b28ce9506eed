// One-use links for choosing a password: the way in after an approval, for the first operator, and when a
// password is forgotten. The secret is behind the # of the address, which browsers never send.

import { createHash, randomBytes } from 'node:crypto'
import type { Queryable } from '../db/port.ts'

const SECRET_BYTES = 32
const HOUR_MS = 3600 * 1000
/** Somebody who asked for a new password waits for it; an invitation may wait over a weekend. */
const LIFETIMES_MS = { invitation: 72 * HOUR_MS, reset: HOUR_MS } as const

export interface PasswordLink {
  readonly url: string
  readonly expiresAt: Date
}

interface NewLink {
  readonly purpose: keyof typeof LIFETIMES_MS
  readonly publicUrl: string
  readonly now: Date
}

export interface LinkRequest extends NewLink {
  readonly userId: string
}

/** Earlier links stay valid until one is used: a stranger who asks for a new password must not invalidate an invitation. */
export async function createPasswordLink(
  db: Queryable,
  { userId, now, ...order }: LinkRequest,
): Promise<PasswordLink> {
  const { secret, ...link } = newPasswordLink({ ...order, now })
  await db.query('DELETE FROM password_links WHERE expires_at <= $1', [now])
  await db.query(
    'INSERT INTO password_links (token_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)',
    [hashSecret(secret), userId, now, link.expiresAt],
  )
  return link
}

/** Opens nothing until its secret is stored. */
export function newPasswordLink({ purpose, publicUrl, now }: NewLink): PasswordLink & { secret: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const expiresAt = new Date(now.getTime() + LIFETIMES_MS[purpose])
  return { secret, url: `${publicUrl}/welcome#${secret}`, expiresAt }
}

/** Whether a link could still be used, without using it. */
export async function isPasswordLinkGood(db: Queryable, secret: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    'SELECT user_id FROM password_links WHERE token_hash = $1 AND expires_at > $2',
    [hashSecret(secret), now],
  )
  return rows.length === 1
}

/** Uses the link up, with all others of the same person; the person's id, or undefined. One statement: one winner. */
export async function redeemPasswordLink(
  db: Queryable,
  secret: string,
  now: Date,
): Promise<string | undefined> {
  const [redeemed] = await db.query<{ userId: string }>(
    `WITH used AS (
       DELETE FROM password_links WHERE token_hash = $1 AND expires_at > $2 RETURNING user_id
     ), others AS (
       DELETE FROM password_links WHERE user_id IN (SELECT user_id FROM used) AND token_hash <> $1
     )
     SELECT user_id AS "userId" FROM used`,
    [hashSecret(secret), now],
  )
  return redeemed?.userId
}

/** Changing the password invalidates the links for choosing another one. */
export async function dropPasswordLinks(db: Queryable, userId: string): Promise<void> {
  await db.query('DELETE FROM password_links WHERE user_id = $1', [userId])
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
