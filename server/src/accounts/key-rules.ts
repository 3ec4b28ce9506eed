// Changes to an existing key: its rules, and the key itself.

import { ServiceError } from '@sauti/protocol/errors'
import type { Tx } from '../db/port.ts'
import { createKeyWithinLimit, listKeys, type StoredKey } from './keys.ts'

export interface KeyRules {
  readonly name?: string
  /** null: no limit. */
  readonly monthlyLimitMs?: number | null
  /** null: any address. */
  readonly allowedAddresses?: readonly string[] | null
}

/** Changes what is named in `rules`. Throws record_not_found for a key of another account. */
export async function changeKeyRules(
  tx: Tx,
  accountId: string,
  keyId: string,
  rules: KeyRules,
): Promise<void> {
  const key = await findKey(tx, accountId, keyId)
  const { name, monthlyLimitMs, allowedAddresses } = { ...key, ...rules }
  await tx.query(
    'UPDATE api_keys SET name = $2, monthly_limit_ms = $3, allowed_addresses = $4 WHERE id = $1',
    [keyId, name, monthlyLimitMs, allowedAddresses],
  )
}

export interface Rotation {
  readonly accountId: string
  readonly keyId: string
  readonly newKeyId: string
  /** How long both keys work. */
  readonly overlapMs: number
  readonly now: Date
}

/**
 * Makes a key with the same rules and lets the old one expire after the overlap. Returns the new key: the only time that it is
 * seen. Throws record_not_found, and key_not_usable for a key that was revoked, has expired or was rotated before.
 */
export async function rotateKey(
  tx: Tx,
  { accountId, keyId, newKeyId, overlapMs, now }: Rotation,
): Promise<string> {
  // Locks the key: of two rotations at the same moment the second finds it replaced.
  await tx.query('SELECT FROM api_keys WHERE id = $1 FOR NO KEY UPDATE', [keyId])
  const old = await findKey(tx, accountId, keyId)
  const hasExpired = old.expiresAt !== null && old.expiresAt <= now
  if (old.revokedAt !== null || hasExpired || old.replacedBy !== null)
    throw new ServiceError('key_not_usable')
  const secret = await createKeyWithinLimit(tx, {
    ...old,
    id: newKeyId,
    expiresAt: old.expiresAt && new Date(now.getTime() + lifeOf(old)),
    now,
  })
  const overlapEnd = new Date(now.getTime() + overlapMs)
  await tx.query('UPDATE api_keys SET replaced_by = $2, expires_at = least(expires_at, $3) WHERE id = $1', [
    keyId,
    newKeyId,
    overlapEnd,
  ])
  return secret
}

function lifeOf({ createdAt, expiresAt }: StoredKey): number {
  return expiresAt!.getTime() - createdAt.getTime()
}

async function findKey(tx: Tx, accountId: string, keyId: string): Promise<StoredKey> {
  const key = (await listKeys(tx, accountId)).find(one => one.id === keyId)
  if (!key) throw new ServiceError('record_not_found')
  return key
}
