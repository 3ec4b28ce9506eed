// A session as an order, a reservation and an answer: what POST /v1/asr/sessions and the console's playground share.

import { createHash } from 'node:crypto'
import { CHANNELS, CONTEXT_SIZE, ENCODING, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import { type AsrSession, CREDENTIAL_LIFETIME_SECONDS } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import { STREAM_PATH, STREAM_PROTOCOL } from '@sauti/protocol/stream'
import type { Refusal, Reservation, ReservationRequest } from '../ledger/reserve.ts'
import { issueCredential } from '../sessions/credential.ts'
import type { HttpParts } from './parts.ts'
import type { RateState } from './rate-limit.ts'

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

export function toReservationRequest(
  { model, seconds, idempotencyKey }: SessionOrder,
  buyer: SessionBuyer,
  parts: HttpParts,
  rate: RateState,
  now: Date,
): ReservationRequest {
  return {
    sessionId: parts.newId(),
    accountId: buyer.accountId,
    apiKeyId: buyer.keyId,
    model,
    requestedMs: seconds * 1000,
    nodeId: parts.nodeId,
    nodeRoom: canServe(model, parts) ? parts.recogniser.capacity : 0,
    withinRate: rate.allowed,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : { key: idempotencyKey, fingerprint: fingerprint(model, seconds) },
    now,
    expiresAt: new Date(now.getTime() + CREDENTIAL_LIFETIME_SECONDS * 1000),
  }
}

function canServe(model: ModelId, { isDraining, recogniser }: HttpParts): boolean {
  return !isDraining() && recogniser.capacity > 0 && recogniser.models.includes(model)
}

/** Of the request after defaults, so `{model}` equals `{model, max_audio_seconds: 60}`. */
function fingerprint(model: ModelId, seconds: number): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([model, seconds]))
    .digest()
}

export function refuse(
  { outcome, slotFreeAt }: Refusal,
  model: ModelId,
  rate: RateState,
  now: Date,
  parts: HttpParts,
): ServiceError {
  switch (outcome) {
    case 'request_rate_exceeded':
      return new ServiceError(outcome, { retryAfterSeconds: rate.nextSeconds })
    case 'concurrency_limit_exceeded': {
      const waitMs = slotFreeAt ? slotFreeAt.getTime() - now.getTime() : CONCURRENCY_RETRY_SECONDS * 1000
      return new ServiceError(outcome, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
    }
    case 'capacity_exceeded':
      if (parts.isDraining()) return new ServiceError('server_draining')
      return new ServiceError(canServe(model, parts) ? outcome : 'engine_unavailable')
    default:
      return new ServiceError(outcome)
  }
}

/** Made from stored facts alone, so that a replay is the same to the byte. */
export function describeSession(
  { sessionId, expiresAt, reservedMs, remainingMs }: Reservation,
  model: ModelId,
  parts: HttpParts,
): AsrSession {
  const seconds = reservedMs / 1000
  return {
    id: sessionId,
    object: 'asr.session',
    status: 'reserved',
    model,
    websocket_url: new URL(STREAM_PATH, parts.publicUrl()).href.replace(/^https:/, 'wss:'),
    websocket_protocols: [STREAM_PROTOCOL, issueCredential(parts.credentialKey, { sessionId, expiresAt })],
    expires_at: expiresAt.toISOString(),
    audio: {
      encoding: ENCODING,
      sample_rate_hz: SAMPLE_RATE_HZ,
      channels: CHANNELS,
      max_audio_seconds: seconds,
      context_size: [...CONTEXT_SIZE],
    },
    credits: { unit: 'audio_second', reserved: seconds, remaining: remainingMs / 1000 },
  }
}
