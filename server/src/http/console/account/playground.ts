// A session for the playground: the same reservation as POST /v1/asr/sessions makes, for the account of whoever is signed
// in, without a key. The page gets only the session response.

import { PlaygroundSessionRequest } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { AsrSession } from '@sauti/protocol/http'
import type { FastifyInstance } from 'fastify'
import { isReservation, reserve } from '../../../ledger/reserve.ts'
import { refuse, toReservationRequest } from '../../../ledger/session-order.ts'
import { describeSession } from '../../api/session-answer.ts'
import { requireJson } from '../../json-body.ts'
import { RouteRate } from '../../rate-limit.ts'
import type { ConsoleParts } from '../parts.ts'
import { accountOf, requireMember } from '../sign-in/member.ts'

export function servePlayground(app: FastifyInstance, parts: ConsoleParts): void {
  const limiter = new RouteRate('playground', parts.settings.sessionCreationsPerMinute, parts.sharedRates)
  const options = {
    schema: { body: PlaygroundSessionRequest },
    onRequest: [requireMember(parts), requireJson],
  }
  app.post<{ Body: PlaygroundSessionRequest }>(
    `${CONSOLE_API}/playground/sessions`,
    options,
    async (request, reply): Promise<AsrSession> => {
      const { model, max_audio_seconds: seconds } = request.body
      const accountId = accountOf(request)
      const now = parts.clock()
      const rate = limiter.take(accountId, now)
      const order = { model, seconds, idempotencyKey: undefined }
      const result = await reserve(
        parts.db,
        toReservationRequest(order, { accountId, keyId: null }, parts, rate, now),
      )
      if (!isReservation(result)) throw refuse(result, { accountId }, rate, now, parts)
      reply.code(201)
      return describeSession(result, model, parts)
    },
  )
}
