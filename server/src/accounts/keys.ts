// API keys of an account: made once, shown once, kept as a hash, found by that hash on every request.

import { ServiceError } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import type { Queryable, Tx } from '../db/port.ts'
import { generateApiKey, hashApiKey, hintOf } from './api-key.ts'

const LAST_USE_PRECISION_MS = 60_000
const MAX_LISTED_USES = 10

export interface NewKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** null: all models. */
  readonly models: readonly ModelId[] | null
  readonly expiresAt: Date | null
  /** Audio that it may use in a calendar month; null: as much as the account has. */
  readonly monthlyLimitMs?: number | null
  /** Addresses and networks that may use it; null: any. */
  readonly allowedAddresses?: readonly string[] | null
  readonly now: Date
}

export interface KeyUse {
  readonly address: string
  readonly at: Date
}

export interface StoredKey extends Omit<Required<NewKey>, 'now'> {
  readonly hint: string
  readonly createdAt: Date
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
  readonly replacedBy: string | null
  /** Where it was used from, the latest first. */
  readonly uses: readonly KeyUse[]
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
  readonly lastUsedAddress: string | null
  readonly allowedAddresses: readonly string[] | null
}

/** So that a loop that creates keys ends in a clear error instead of a full table. */
const MAX_USABLE_KEYS = 50

/**
 * The same as createKey, for somebody who asks from outside: only active accounts create keys, each up to a limit. Locks the
 * account's row first, so that requests at the same moment count one after another.
 */
export async function createKeyWithinLimit(tx: Tx, key: NewKey): Promise<string> {
  const [account] = await tx.query<{ active: boolean }>(
    'SELECT active FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
    [key.accountId],
  )
  if (!account) throw new ServiceError('record_not_found')
  if (!account.active) throw new ServiceError('account_inactive')
  const [usable] = await tx.query<{ count: number }>(
    `SELECT count(*) FROM api_keys
     WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
    [key.accountId, key.now],
  )
  if (usable!.count >= MAX_USABLE_KEYS) {
    throw new ServiceError('invalid_parameter', {
      message: `An account may have ${MAX_USABLE_KEYS} keys at once. Revoke some first.`,
    })
  }
  return (await createKey(tx, key))!
}

/** Returns the key itself: the only time that it is seen. Undefined when there is no such account. */
export async function createKey(db: Queryable, key: NewKey): Promise<string | undefined> {
  const secret = generateApiKey()
  const rows = await db.query(
    `INSERT INTO api_keys
       (id, account_id, name, hash, hint, models, expires_at, monthly_limit_ms, allowed_addresses, created_at)
     SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10 FROM accounts WHERE id = $2 RETURNING id`,
    [
      key.id,
      key.accountId,
      key.name,
      hashApiKey(secret),
      hintOf(secret),
      key.models,
      key.expiresAt,
      key.monthlyLimitMs ?? null,
      key.allowedAddresses ?? null,
      key.now,
    ],
  )
  return rows.length === 1 ? secret : undefined
}

export function listKeys(db: Queryable, accountId: string | null): Promise<StoredKey[]> {
  return db.query<StoredKey>(
    `SELECT id, account_id AS "accountId", name, hint, models, created_at AS "createdAt", expires_at AS "expiresAt",
            revoked_at AS "revokedAt", last_used_at AS "lastUsedAt", monthly_limit_ms AS "monthlyLimitMs",
            allowed_addresses AS "allowedAddresses", replaced_by AS "replacedBy",
            ARRAY(SELECT jsonb_build_object('address', address, 'at', u.last_used_at) FROM api_key_uses u
                  WHERE u.api_key_id = api_keys.id ORDER BY u.last_used_at DESC LIMIT ${MAX_LISTED_USES}) AS uses
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

/** One indexed read per request and no cache, so that a revoked key is refused from the next request on, on every node. */
export async function findKeyHolder(db: Queryable, key: string): Promise<KeyHolder | undefined> {
  const [holder] = await db.query<KeyHolder>(
    `SELECT k.id AS "keyId", k.account_id AS "accountId", a.active AS "accountActive", k.models,
            k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt",
            k.last_used_address AS "lastUsedAddress", k.allowed_addresses AS "allowedAddresses"
     FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = $1`,
    [hashApiKey(key)],
  )
  return holder
}

/** Remembers the use to the minute and by address: one write per minute instead of one per request. */
export async function noteKeyUse(
  db: Queryable,
  { keyId, lastUsedAt, lastUsedAddress }: KeyHolder,
  address: string | null,
  now: Date,
): Promise<void> {
  const isRecent = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < LAST_USE_PRECISION_MS
  if (isRecent && lastUsedAddress === address) return
  const dueBefore = new Date(now.getTime() - LAST_USE_PRECISION_MS)
  // Of requests at the same moment the first writes; the others find it written when they get the row.
  const written = await db.query(
    `UPDATE api_keys SET last_used_at = $2, last_used_address = $4
     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3 OR last_used_address IS DISTINCT FROM $4)
     RETURNING id`,
    [keyId, now, dueBefore, address],
  )
  if (written.length === 1 && address !== null) await noteAddress(db, keyId, address, now)
}

/** A key that is used from everywhere keeps only its latest addresses. */
async function noteAddress(db: Queryable, keyId: string, address: string, now: Date): Promise<void> {
  await db.query(
    `INSERT INTO api_key_uses (api_key_id, address, last_used_at) VALUES ($1, $2, $3)
     ON CONFLICT (api_key_id, address) DO UPDATE SET last_used_at = excluded.last_used_at`,
    [keyId, address, now],
  )
  await db.query(
    `DELETE FROM api_key_uses WHERE api_key_id = $1 AND address NOT IN (
       SELECT address FROM api_key_uses WHERE api_key_id = $1 ORDER BY last_used_at DESC, address LIMIT ${MAX_LISTED_USES})`,
    [keyId],
  )
}
