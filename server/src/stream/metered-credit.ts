// Credit of a wire that authenticates with an API key: the wire orders a session itself, a minute of it, and more while the client speaks.

import { ServiceError } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import type { Logger } from 'pino'
import type { KeyHolder } from '../accounts/keys.ts'
import type { Database, Queryable } from '../db/port.ts'
import { cancelSession } from '../ledger/cancel.ts'
import { extendReservation } from '../ledger/extend.ts'
import { isReservation, reserve } from '../ledger/reserve.ts'
import {
  type OrderParts,
  type OrderRate,
  refuse,
  toReservationRequest,
  withoutOthers,
} from '../ledger/session-order.ts'
import { redeemSession } from '../sessions/redeem.ts'
import type { Credit } from './dialect.ts'
import { METERED_SECONDS } from './settings.ts'

export interface MeteredCreditParts extends OrderParts {
  readonly db: Queryable & Pick<Database, 'transaction'>
  readonly log: Logger
  readonly clock: () => Date
}

export interface MeteredOrder {
  readonly holder: KeyHolder
  readonly model: ModelId
  readonly rate: OrderRate
}

/** Reserves the first minute, so that what an account lacks is refused over HTTP: 402, 403, 429, 503. */
export async function openMeteredSession(
  parts: MeteredCreditParts,
  { holder, model, rate }: MeteredOrder,
): Promise<Credit> {
  const { db, clock, node } = parts
  const now = clock()
  if (holder.models && !holder.models.includes(model)) throw new ServiceError('model_not_allowed')
  const order = { model, seconds: METERED_SECONDS, idempotencyKey: undefined }
  const here = { ...parts, node: withoutOthers(node) }
  const result = await reserve(db, toReservationRequest(order, holder, here, rate, now))
  if (!isReservation(result)) throw refuse(result, holder, rate, now, parts)
  const { sessionId } = result
  return {
    giveUp: () => void giveBack(parts, sessionId, holder.accountId),
    open: () => redeemSession(db, { sessionId, nodeId: node.id, now: clock() }),
    extend: () => extendReservation(db, { sessionId, requestedMs: METERED_SECONDS * 1000, now: clock() }),
  }
}

/** The client left: its credit and its slot are free at once. */
async function giveBack(
  { db, clock, log }: MeteredCreditParts,
  sessionId: string,
  accountId: string,
): Promise<void> {
  try {
    await db.transaction(tx => cancelSession(tx, { sessionId, accountId, now: clock() }))
  } catch (error) {
    // Opened before: then it ends as every open session does. Whatever else is wrong, the reservation expires by itself.
    if (!(error instanceof ServiceError))
      log.warn({ err: error, sessionId }, 'a reservation was not given back')
  }
}
