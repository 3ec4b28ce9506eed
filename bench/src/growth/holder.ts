// The account that the ledger grows in.

import { randomUUID } from 'node:crypto'
import { createAccount, setConcurrencyLimit } from '@sauti/server/accounts/accounts.js'
import { createKey } from '@sauti/server/accounts/keys.js'
import type { Database } from '@sauti/server/db/port.js'

const CREDIT_MS = 1e11

export interface Holder {
  readonly accountId: string
  readonly apiKeyId: string
  readonly key: string
}

export async function createHolder(db: Database): Promise<Holder> {
  const [accountId, apiKeyId] = [randomUUID(), randomUUID()]
  const now = new Date()
  const key = await db.transaction(async tx => {
    await createAccount(tx, { id: accountId, name: 'growth', creditMs: CREDIT_MS, now })
    await setConcurrencyLimit(tx, accountId, 10)
    return createKey(tx, { id: apiKeyId, accountId, name: 'growth', models: null, expiresAt: null, now })
  })
  return { accountId, apiKeyId, key: key! }
}
