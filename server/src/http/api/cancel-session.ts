// DELETE /v1/asr/sessions/{id}: gives back a reservation that was not opened, instead of waiting until it expires.

import { ServiceError } from '@sauti/protocol/errors'
import type { UsageSession } from '@sauti/protocol/http'
import type { FastifyInstance } from 'fastify'
import { cancelSession } from '../../ledger/cancel.ts'
import type { HttpParts } from '../parts.ts'
import { RouteRate } from '../rate-limit.ts'
import { type Authenticate, callerOf } from './authenticate.ts'
import { describeUsageSession } from './read-usage.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function serveSessionCancellation(
  app: FastifyInstance,
  parts: HttpParts,
  authenticate: Authenticate,
): void {
  const rate = new RouteRate('cancellations', parts.settings.sessionCreationsPerMinute, parts.sharedRates)
  app.delete<{ Params: { id: string } }>(
    '/v1/asr/sessions/:id',
    { onRequest: authenticate },
    async (request, reply): Promise<UsageSession> => {
      const { accountId } = callerOf(request)
      const { id: sessionId } = request.params
      const now = parts.clock()
      rate.require(accountId, now, reply)
      if (!UUID.test(sessionId)) throw new ServiceError('session_not_found')
      const cancellation = { sessionId, accountId, now }
      return describeUsageSession(await parts.db.transaction(tx => cancelSession(tx, cancellation)))
    },
  )
}
