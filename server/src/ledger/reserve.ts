// Step 2, RESERVE: credit is set aside for a new session, or the request is refused, in one statement.

import type { ErrorCode } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import type { Queryable } from '../db/port.ts'

const LEAST_MS = 1000

export interface ReservationRequest {
  readonly sessionId: string
  readonly accountId: string
  /** null: for somebody who is signed in to the console. */
  readonly apiKeyId: string | null
  readonly model: ModelId
  readonly requestedMs: number
  /** The node that was asked, which may place the session on another one. */
  readonly node: {
    readonly id: string
    /** How many open sessions of this model it can carry now: more recent than what the registry says. */
    readonly capacity: number
    /** False while it drains. */
    readonly isOpen: boolean
    /** Nodes that were silent for longer get no session. */
    readonly lostAfterMs: number
  }
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
  /** Of the node that it was placed on; null where a release without placement made the reservation. */
  readonly nodeUrl: string | null
}

export interface Refusal {
  readonly outcome:
    | Extract<
        ErrorCode,
        | 'account_inactive'
        | 'idempotency_conflict'
        | 'request_rate_exceeded'
        | 'concurrency_limit_exceeded'
        | 'insufficient_credits'
        | 'key_limit_reached'
        | 'capacity_exceeded'
        | 'engine_unavailable'
      >
    | 'node_closed'
  /** With concurrency_limit_exceeded and capacity_exceeded: when the next slot is likely free, where that is known. */
  readonly slotFreeAt: Date | null
}

export function isReservation(result: Reservation | Refusal): result is Reservation {
  return result.outcome === 'reserved' || result.outcome === 'replayed'
}

/** The order of the checks and the locks are explained beside `place_session` in the migrations. */
export async function reserve(db: Queryable, request: ReservationRequest): Promise<Reservation | Refusal> {
  const named = {
    p_session_id: request.sessionId,
    p_account_id: request.accountId,
    p_api_key_id: request.apiKeyId,
    p_model: request.model,
    p_requested_ms: request.requestedMs,
    p_self_id: request.node.id,
    p_self_capacity: request.node.capacity,
    p_self_is_open: request.node.isOpen,
    p_lost_after_ms: request.node.lostAfterMs,
    p_within_rate: request.withinRate,
    p_idempotency_key: request.idempotency?.key ?? null,
    p_fingerprint: request.idempotency?.fingerprint ?? null,
    p_now: request.now,
    p_expires_at: request.expiresAt,
  }
  const names = Object.keys(named) as (keyof typeof named)[]
  const placeOf = (name: keyof typeof named) => `$${names.indexOf(name) + 1}`
  // At most what the key may still use in this month; `least` ignores the NULL of a key without a limit.
  const keyRoom = `key_room_ms(${placeOf('p_api_key_id')}, ${placeOf('p_now')})`
  const argumentOf = (name: keyof typeof named) =>
    name === 'p_requested_ms' ? `least(${placeOf(name)}, ${keyRoom})` : placeOf(name)
  const [result] = await db.query<Reservation | Refusal>(
    `SELECT outcome, session_id AS "sessionId", expires_at AS "expiresAt", reserved_ms AS "reservedMs",
            remaining_ms AS "remainingMs", node_url AS "nodeUrl", slot_free_at AS "slotFreeAt"
     FROM place_session(${names.map(name => `${name} => ${argumentOf(name)}`).join(', ')})`,
    Object.values(named),
  )
  return result!.outcome === 'insufficient_credits' ? explainLackOfCredit(db, request) : result!
}

/** Whether it is the account that lacks credit, or the key that has used its own. */
async function explainLackOfCredit(db: Queryable, { apiKeyId, now }: ReservationRequest): Promise<Refusal> {
  const [key] = await db.query<{ roomMs: number | null }>('SELECT key_room_ms($1, $2) AS "roomMs"', [
    apiKeyId,
    now,
  ])
  const isSpent = key!.roomMs !== null && key!.roomMs < LEAST_MS
  return { outcome: isSpent ? 'key_limit_reached' : 'insufficient_credits', slotFreeAt: null }
}
