// API keys of an account: made once, shown once, kept as a hash, found by that hash on every request.

import type { ModelId } from '@sauti/protocol/models'
import type { Queryable } from '../db/port.ts'
import { generateApiKey, hashApiKey, hintOf } from './api-key.ts'

const LAST_USE_PRECISION_MS = 60_000

export interface NewKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** null: all models. */
  readonly models: readonly ModelId[] | null
  readonly expiresAt: Date | null
  readonly now: Date
}

export interface StoredKey extends Omit<NewKey, 'now'> {
  readonly hint: string
  readonly createdAt: Date
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
}

/** What a request needs to know of its key, and of the account behind it. */
export interface KeyHolder {
  readonly keyId: string
  readonly accountId: string
  readonly accountActive: boolean
  readonly models: readonly ModelId[] | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
}

/** Returns the key itself: the only time that it is seen. Undefined when there is no such account. */
export async function createKey(db: Queryable, key: NewKey): Promise<string | undefined> {
  const secret = generateApiKey()
  const rows = await db.query(
    `INSERT INTO api_keys (id, account_id, name, hash, hint, models, expires_at, created_at)
     SELECT $1, id, $3, $4, $5, $6, $7, $8 FROM accounts WHERE id = $2 RETURNING id`,
    [key.id, key.accountId, key.name, hashApiKey(secret), hintOf(secret), key.models, key.expiresAt, key.now],
  )
  return rows.length === 1 ? secret : undefined
}

export function listKeys(db: Queryable, accountId: string | null): Promise<StoredKey[]> {
  return db.query<StoredKey>(
    `SELECT id, account_id AS "accountId", name, hint, models, created_at AS "createdAt", expires_at AS "expiresAt",
            revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"
     FROM api_keys WHERE $1::uuid IS NULL OR account_id = $1 ORDER BY created_at, id`,
    [accountId],
  )
}

/** False when there is no such key. Revoking twice keeps the first moment. */
export async function revokeKey(db: Queryable, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING id',
    [id, now],
  )
  return rows.length === 1
}

/** The same, by somebody who may only touch the keys of one account. */
export async function revokeKeyOf(db: Queryable, accountId: string, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3) WHERE id = $2 AND account_id = $1 RETURNING id',
    [accountId, id, now],
  )
  return rows.length === 1
}

/** One indexed read a request and no cache, so that a revoked key is refused from the next request on, on every node. */
export async function findKeyHolder(db: Queryable, key: string): Promise<KeyHolder | undefined> {
  const [holder] = await db.query<KeyHolder>(
    `SELECT k.id AS "keyId", k.account_id AS "accountId", a.active AS "accountActive", k.models,
            k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt"
     FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = $1`,
    [hashApiKey(key)],
  )
  return holder
}

/** Remembers the use to the minute: one write a minute instead of one a request. */
export async function noteKeyUse(db: Queryable, { keyId, lastUsedAt }: KeyHolder, now: Date): Promise<void> {
  if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < LAST_USE_PRECISION_MS) return
  const dueBefore = new Date(now.getTime() - LAST_USE_PRECISION_MS)
  // Of requests at the same moment the first writes; the others find it written when they get the row.
  await db.query(
    'UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)',
    [keyId, now, dueBefore],
  )
}
