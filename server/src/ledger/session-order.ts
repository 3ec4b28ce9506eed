// A session as an order and the refusal of one: what POST /v1/asr/sessions, the console's playground and streams that authenticate with
// an API key share.

import { createHash } from 'node:crypto'
import { ServiceError } from '@sauti/protocol/errors'
import { CREDENTIAL_LIFETIME_SECONDS } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import type { Refusal, ReservationRequest } from './reserve.ts'

const CONCURRENCY_RETRY_SECONDS = 5

export interface SessionOrder {
  readonly model: ModelId
  readonly seconds: number
  readonly idempotencyKey: string | undefined
}

/** Who pays, and by which key: none where somebody is signed in to the console. */
export interface SessionBuyer {
  readonly accountId: string
  readonly keyId: string | null
}

/** Of the recogniser, only what it could take on now. */
export interface RecogniserRoom {
  readonly models: readonly ModelId[]
  readonly capacity: number
  /** Part of the capacity that is lent later. */
  readonly heldBack: number
}

/** One that found no room. */
export interface RefusedOrder {
  readonly accountId: string
  /** When the next slot is likely free, where that is known. */
  readonly slotFreeAt: Date | null
  /** Slots that are free, but not lent yet. */
  readonly heldBack: number
  readonly now: Date
}

/** What an order needs to know of the node that takes it. */
export interface OrderParts {
  readonly node: {
    readonly id: string
    readonly isOpen: boolean
    readonly lostAfterMs: number
    readonly returns: { promise(refused: RefusedOrder): Date }
  }
  readonly newId: () => string
  readonly isDraining: () => boolean
  readonly recogniser: RecogniserRoom
}

/** Whether the buyer may order now, and otherwise when again. */
export interface OrderRate {
  readonly allowed: boolean
  readonly nextSeconds: number
}

export function toReservationRequest(
  { model, seconds, idempotencyKey }: SessionOrder,
  buyer: SessionBuyer,
  parts: OrderParts,
  rate: OrderRate,
  now: Date,
): ReservationRequest {
  return {
    sessionId: parts.newId(),
    accountId: buyer.accountId,
    apiKeyId: buyer.keyId,
    model,
    requestedMs: seconds * 1000,
    node: describeNode(model, parts),
    withinRate: rate.allowed,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : { key: idempotencyKey, fingerprint: fingerprint(model, seconds) },
    now,
    expiresAt: new Date(now.getTime() + CREDENTIAL_LIFETIME_SECONDS * 1000),
  }
}

function describeNode(
  model: ModelId,
  { node, isDraining, recogniser }: OrderParts,
): ReservationRequest['node'] {
  return {
    id: node.id,
    capacity: recogniser.models.includes(model) ? recogniser.capacity - recogniser.heldBack : 0,
    isOpen: node.isOpen && !isDraining(),
    lostAfterMs: node.lostAfterMs,
  }
}

/** Of the request after defaults, so `{model}` equals `{model, max_audio_seconds: 60}`. */
function fingerprint(model: ModelId, seconds: number): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([model, seconds]))
    .digest()
}

/** The node for somebody who is connected to it already, so that no other one comes into question: all others count as lost. */
export function withoutOthers({ id, isOpen, returns }: OrderParts['node']): OrderParts['node'] {
  return { id, isOpen, lostAfterMs: 0, returns }
}

export function refuse(
  { outcome, slotFreeAt }: Refusal,
  { accountId }: Pick<SessionBuyer, 'accountId'>,
  rate: OrderRate,
  now: Date,
  { node, isDraining, recogniser }: Pick<OrderParts, 'node' | 'isDraining' | 'recogniser'>,
): ServiceError {
  switch (outcome) {
    case 'request_rate_exceeded':
      return new ServiceError(outcome, { retryAfterSeconds: rate.nextSeconds })
    case 'concurrency_limit_exceeded':
      return new ServiceError(outcome, {
        retryAfterSeconds: slotFreeAt ? secondsUntil(slotFreeAt, now) : CONCURRENCY_RETRY_SECONDS,
      })
    case 'capacity_exceeded': {
      const { heldBack } = recogniser
      const returnAt = node.returns.promise({ accountId, slotFreeAt, heldBack, now })
      return new ServiceError(outcome, { retryAfterSeconds: secondsUntil(returnAt, now) })
    }
    case 'node_closed':
      return new ServiceError(isDraining() ? 'server_draining' : 'service_unavailable')
    default:
      return new ServiceError(outcome)
  }
}

function secondsUntil(at: Date, now: Date): number {
  return Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000))
}
