// Who holds an API key, asked for every request and every stream, so that revoking holds from the next one on.

import { ServiceError } from '@sauti/protocol/errors'
import type { Queryable } from '../db/port.ts'
import { createAddressMatcher } from '../network/address-list.ts'
import { addressGroup } from '../network/client-address.ts'
import { isApiKey } from './api-key.ts'
import { findKeyHolder, type KeyHolder, noteKeyUse } from './keys.ts'

/**
 * Throws 401 for the key, then 403 for the account and for the address. A string that cannot be a key is refused by its checksum,
 * without a query. Without an address, a key that is bound to addresses is refused.
 */
export async function authenticateKey(
  db: Queryable,
  key: string,
  now: Date,
  address?: string,
): Promise<KeyHolder> {
  if (!isApiKey(key)) throw new ServiceError('invalid_api_key')
  const holder = await findKeyHolder(db, key)
  if (!holder) throw new ServiceError('invalid_api_key')
  if (holder.revokedAt) throw new ServiceError('revoked_api_key')
  if (holder.expiresAt && holder.expiresAt <= now) throw new ServiceError('expired_api_key')
  if (!holder.accountActive) throw new ServiceError('account_inactive')
  if (!isAllowedFrom(holder, address)) throw new ServiceError('address_not_allowed')
  await noteKeyUse(db, holder, address === undefined ? null : addressGroup(address), now)
  return holder
}

function isAllowedFrom({ allowedAddresses }: KeyHolder, address: string | undefined): boolean {
  if (allowedAddresses === null) return true
  return address !== undefined && createAddressMatcher(allowedAddresses)(address)
}
