// Accounts and reservations made straight through the ledger, for tests of money without HTTP in between.

import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { createAccount, setConcurrencyLimit } from '#server/accounts/accounts.js'
import { createKey } from '#server/accounts/keys.js'
import type { Database, Queryable } from '#server/db/port.js'
import {
  isReservation,
  type Refusal,
  type Reservation,
  type ReservationRequest,
  reserve,
} from '#server/ledger/reserve.js'
import { verifyLedger } from '#server/ledger/verify.js'
import { registerTestNode } from './nodes.ts'

export interface Holder {
  readonly accountId: string
  readonly apiKeyId: string
}

export async function createHolder(
  db: Database,
  now: Date,
  creditMs: number,
  concurrencyLimit = 1,
): Promise<Holder> {
  const accountId = randomUUID()
  const apiKeyId = randomUUID()
  await db.transaction(async tx => {
    await createAccount(tx, { id: accountId, name: 'a holder', creditMs, now })
    await createKey(tx, { id: apiKeyId, accountId, name: '', models: null, expiresAt: null, now })
    await setConcurrencyLimit(tx, accountId, concurrencyLimit)
  })
  return { accountId, apiKeyId }
}

export async function tryReserve(
  db: Database,
  holder: Holder,
  now: Date,
  order: Partial<ReservationRequest> = {},
): Promise<Reservation | Refusal> {
  return reserve(db, {
    ...holder,
    sessionId: randomUUID(),
    model: 'svc-asr-kikuyu-v1',
    requestedMs: 60_000,
    node: order.node ?? (await registerTestNode(db, { capacity: 1 })),
    withinRate: true,
    idempotency: undefined,
    now,
    expiresAt: new Date(now.getTime() + 60_000),
    ...order,
  })
}

export async function mustReserve(
  db: Database,
  holder: Holder,
  now: Date,
  order?: Partial<ReservationRequest>,
): Promise<Reservation> {
  const result = await tryReserve(db, holder, now, order)
  if (!isReservation(result)) throw new Error(`refused: ${result.outcome}`)
  return result
}

export async function expectBalance(db: Queryable): Promise<void> {
  expect((await verifyLedger(db)).discrepancies).toEqual([])
}
