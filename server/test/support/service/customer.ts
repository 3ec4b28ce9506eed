// A user of the service in a test: an account with credit and a key.

import { randomUUID } from 'node:crypto'
import { createAccount, setConcurrencyLimit } from '#server/accounts/accounts.js'
import { createKey, type NewKey, revokeKey } from '#server/accounts/keys.js'
import type { Database } from '#server/db/port.js'

export interface Customer {
  readonly accountId: string
  readonly keyId: string
  readonly key: string
}

export type CustomerOptions = Partial<
  Pick<NewKey, 'models' | 'expiresAt' | 'monthlyLimitMs' | 'allowedAddresses'>
> & {
  readonly creditMs?: number
  readonly concurrency?: number
}

export async function createCustomer(
  db: Database,
  now: Date,
  options: CustomerOptions = {},
): Promise<Customer> {
  const { creditMs = 3_600_000, models = null, expiresAt = null, concurrency = 1, ...rules } = options
  const accountId = randomUUID()
  const keyId = randomUUID()
  const key = await db.transaction(async tx => {
    await createAccount(tx, { id: accountId, name: 'a customer', creditMs, now })
    if (concurrency > 1) await setConcurrencyLimit(tx, accountId, concurrency)
    return createKey(tx, { ...rules, id: keyId, accountId, name: 'a key', models, expiresAt, now })
  })
  return { accountId, keyId, key: key! }
}

export async function revokeCustomer(
  db: Database,
  now: Date,
  { keyId }: Pick<Customer, 'keyId'>,
): Promise<void> {
  await revokeKey(db, keyId, now)
}
