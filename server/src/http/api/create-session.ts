// POST /v1/asr/sessions (spec 4.2): checks the request, reserves the credit (step 2) and hands out the credential.

import { DEFAULT_AUDIO_SECONDS } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import { CreateSessionRequest, IDEMPOTENCY_KEY_PATTERN } from '@sauti/protocol/http'
import { isModelId } from '@sauti/protocol/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KeyHolder } from '../../accounts/keys.ts'
import { isReservation, reserve } from '../../ledger/reserve.ts'
import { refuse, type SessionOrder, toReservationRequest } from '../../ledger/session-order.ts'
import { requireJson } from '../json-body.ts'
import { countSessionOutcomes } from '../monitoring/metrics.ts'
import type { HttpParts } from '../parts.ts'
import { RouteRate } from '../rate-limit.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { describeSession } from './session-answer.ts'

const idempotencyKeyPattern = new RegExp(IDEMPOTENCY_KEY_PATTERN)

/** The order of the checks is the interface's: what comes earlier here is what a client is told first. */
export function serveSessionCreation(
  app: FastifyInstance,
  parts: HttpParts,
  authenticate: Authenticate,
): void {
  const limiter = new RouteRate('sessions', parts.settings.sessionCreationsPerMinute, parts.sharedRates)
  const countOutcome = countSessionOutcomes(parts.metrics)
  const options = {
    schema: { body: CreateSessionRequest },
    onRequest: [authenticate, requireJson],
  }

  app.post<{ Body: CreateSessionRequest }>('/v1/asr/sessions', options, async (request, reply) => {
    const caller = callerOf(request)
    const order = readOrder(request, caller)
    const now = parts.clock()
    const rate = limiter.take(caller.accountId, now)
    const result = await reserve(parts.db, toReservationRequest(order, caller, parts, rate, now))
    countOutcome(result.outcome)

    const isUncounted = result.outcome === 'replayed' || result.outcome === 'idempotency_conflict'
    limiter.writeHeaders(reply, isUncounted && rate.allowed ? limiter.giveBack(caller.accountId, now) : rate)
    if (!isReservation(result)) throw refuse(result, caller, rate, now, parts)
    if (result.outcome === 'replayed') reply.header('idempotent-replayed', 'true')
    return reply.code(201).send(describeSession(result, order.model, parts))
  })
}

function readOrder(request: FastifyRequest<{ Body: CreateSessionRequest }>, caller: KeyHolder): SessionOrder {
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
