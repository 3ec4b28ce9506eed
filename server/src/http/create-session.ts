// POST /v1/asr/sessions (spec 4.2): checks the request, reserves the credit (step 2) and hands out the credential.

import { createHash } from 'node:crypto'
import {
  CHANNELS,
  CONTEXT_SIZE,
  DEFAULT_AUDIO_SECONDS,
  ENCODING,
  SAMPLE_RATE_HZ,
} from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import {
  type AsrSession,
  CREDENTIAL_LIFETIME_SECONDS,
  CreateSessionRequest,
  IDEMPOTENCY_KEY_PATTERN,
} from '@sauti/protocol/http'
import { isModelId, type ModelId } from '@sauti/protocol/models'
import { STREAM_PATH, STREAM_PROTOCOL } from '@sauti/protocol/stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KeyHolder } from '../accounts/keys.ts'
import {
  isReservation,
  type Refusal,
  type Reservation,
  type ReservationRequest,
  reserve,
} from '../ledger/reserve.ts'
import { issueCredential } from '../sessions/credential.ts'
import { authenticateWith, callerOf } from './authenticate.ts'
import { requireJson } from './json-body.ts'
import { countSessionOutcomes } from './metrics.ts'
import type { HttpParts } from './parts.ts'
import { createRateLimiter, type RateState } from './rate-limit.ts'

const idempotencyKeyPattern = new RegExp(IDEMPOTENCY_KEY_PATTERN)
const CONCURRENCY_RETRY_SECONDS = 5

/** The order of the checks is the interface's: what stands earlier here is what a client is told first. */
export function serveSessionCreation(app: FastifyInstance, parts: HttpParts): void {
  const limiter = createRateLimiter('sessions', parts.settings.sessionCreationsPerMinute)
  const countOutcome = countSessionOutcomes(parts.metrics)
  const options = {
    schema: { body: CreateSessionRequest },
    onRequest: [authenticateWith(parts), requireJson],
  }

  app.post<{ Body: CreateSessionRequest }>('/v1/asr/sessions', options, async (request, reply) => {
    const caller = callerOf(request)
    const order = readOrder(request, caller)
    const now = parts.clock()
    const rate = limiter.take(caller.keyId, now)
    const result = await reserve(parts.db, toReservationRequest(order, caller, parts, rate, now))
    countOutcome(result.outcome)

    const isUncounted = result.outcome === 'replayed' || result.outcome === 'idempotency_conflict'
    limiter.writeHeaders(reply, isUncounted && rate.allowed ? limiter.giveBack(caller.keyId, now) : rate)
    if (!isReservation(result)) throw refuse(result, order.model, rate, now, parts)
    if (result.outcome === 'replayed') reply.header('idempotent-replayed', 'true')
    return reply.code(201).send(describeSession(result, order.model, parts))
  })
}

interface Order {
  readonly model: ModelId
  readonly seconds: number
  readonly idempotencyKey: string | undefined
}

function readOrder(request: FastifyRequest<{ Body: CreateSessionRequest }>, caller: KeyHolder): Order {
  const { model, max_audio_seconds: seconds = DEFAULT_AUDIO_SECONDS } = request.body
  const idempotencyKey = readIdempotencyKey(request)
  if (!isModelId(model)) throw new ServiceError('model_not_found')
  if (caller.models && !caller.models.includes(model)) throw new ServiceError('model_not_allowed')
  return { model, seconds, idempotencyKey }
}

/** Repeated headers are joined with a comma by Node, which the pattern refuses. */
function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && idempotencyKeyPattern.test(key)) return key
  throw new ServiceError('invalid_idempotency_key')
}

function toReservationRequest(
  { model, seconds, idempotencyKey }: Order,
  caller: KeyHolder,
  parts: HttpParts,
  rate: RateState,
  now: Date,
): ReservationRequest {
  return {
    sessionId: parts.newId(),
    accountId: caller.accountId,
    apiKeyId: caller.keyId,
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
  return !isDraining() && recogniser.models.includes(model)
}

/** Of the request after defaults, so `{model}` equals `{model, max_audio_seconds: 60}`. */
function fingerprint(model: ModelId, seconds: number): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([model, seconds]))
    .digest()
}

function refuse(
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
function describeSession(
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
