// Step 2, RESERVE: credit is set aside for a new session, or the request is refused, in one statement.

import type { ErrorCode } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import type { Queryable } from '../db/port.ts'

export interface ReservationRequest {
  readonly sessionId: string
  readonly accountId: string
  /** null: for somebody who is signed in to the console. */
  readonly apiKeyId: string | null
  readonly model: ModelId
  readonly requestedMs: number
  readonly nodeId: string
  /** How many open sessions this node can carry now. */
  readonly nodeRoom: number
  /** Whether the request is within its rate; asked here because a replay goes before the rate. */
  readonly withinRate: boolean
  readonly idempotency: { readonly key: string; readonly fingerprint: Buffer } | undefined
  readonly now: Date
  readonly expiresAt: Date
}

export interface Reservation {
  readonly outcome: 'reserved' | 'replayed'
  readonly sessionId: string
  readonly expiresAt: Date
  readonly reservedMs: number
  readonly remainingMs: number
}

export interface Refusal {
  readonly outcome: Extract<
    ErrorCode,
    | 'account_inactive'
    | 'idempotency_conflict'
    | 'request_rate_exceeded'
    | 'concurrency_limit_exceeded'
    | 'insufficient_credits'
    | 'capacity_exceeded'
  >
  /** With concurrency_limit_exceeded: when the next unopened reservation expires, if there is one. */
  readonly slotFreeAt: Date | null
}

export function isReservation(result: Reservation | Refusal): result is Reservation {
  return result.outcome === 'reserved' || result.outcome === 'replayed'
}

/** The order of the checks and the lock are explained beside `reserve_session` in the migrations. */
export async function reserve(db: Queryable, request: ReservationRequest): Promise<Reservation | Refusal> {
  const [result] = await db.query<Reservation | Refusal>(
    `SELECT outcome, session_id AS "sessionId", expires_at AS "expiresAt", reserved_ms AS "reservedMs",
            remaining_ms AS "remainingMs", slot_free_at AS "slotFreeAt"
     FROM reserve_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      request.sessionId,
      request.accountId,
      request.apiKeyId,
      request.model,
      request.requestedMs,
      request.nodeId,
      request.nodeRoom,
      request.withinRate,
      request.idempotency?.key ?? null,
      request.idempotency?.fingerprint ?? null,
      request.now,
      request.expiresAt,
    ],
  )
  return result!
}
