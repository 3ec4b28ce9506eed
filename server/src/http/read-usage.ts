// GET /v1/usage (spec 4.3): the balance and the newest sessions of the caller's account (step 8).

import { ServiceError } from '@sauti/protocol/errors'
import type { CreditBalance, UsageSession } from '@sauti/protocol/http'
import type { FastifyInstance } from 'fastify'
import { type RecentSession, readUsage, type Usage } from '../ledger/usage.ts'
import { authenticateWith, callerOf } from './authenticate.ts'
import type { HttpParts } from './parts.ts'
import { createRateLimiter } from './rate-limit.ts'

export function serveUsage(app: FastifyInstance, parts: HttpParts): void {
  const limiter = createRateLimiter('usage', parts.settings.usageReadsPerMinute)
  app.get('/v1/usage', { onRequest: authenticateWith(parts) }, async (request, reply) => {
    const { keyId, accountId } = callerOf(request)
    const now = parts.clock()
    const rate = limiter.take(keyId, now)
    limiter.writeHeaders(reply, rate)
    if (!rate.allowed)
      throw new ServiceError('request_rate_exceeded', { retryAfterSeconds: rate.nextSeconds })
    return describeUsage(await readUsage(parts.db, accountId, now))
  })
}

export function describeUsage({ availableMs, reservedMs, consumedMs, recentSessions }: Usage): CreditBalance {
  return {
    object: 'credit_balance',
    unit: 'audio_millisecond',
    available_ms: availableMs,
    reserved_ms: reservedMs,
    consumed_ms: consumedMs,
    recent_sessions: recentSessions.map(describeSession),
  }
}

function describeSession(session: RecentSession): UsageSession {
  return {
    id: session.id,
    model: session.model,
    status: session.status,
    audio_ms: session.audioMs,
    billable_ms: session.billableMs,
    created_at: session.createdAt.toISOString(),
    completed_at: session.completedAt?.toISOString() ?? null,
  }
}
