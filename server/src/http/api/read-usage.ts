// GET /v1/usage (spec 4.3): the balance and the newest sessions of the caller's account (step 8).

import type { CreditBalance, UsageSession } from '@sauti/protocol/http'
import type { FastifyInstance } from 'fastify'
import { type RecentSession, readUsage, type Usage } from '../../ledger/usage.ts'
import type { HttpParts } from '../parts.ts'
import { RouteRate } from '../rate-limit.ts'
import { type Authenticate, callerOf } from './authenticate.ts'

export function serveUsage(app: FastifyInstance, parts: HttpParts, authenticate: Authenticate): void {
  const rate = new RouteRate('usage', parts.settings.usageReadsPerMinute, parts.sharedRates)
  app.get('/v1/usage', { onRequest: authenticate }, async (request, reply) => {
    const { accountId } = callerOf(request)
    const now = parts.clock()
    rate.require(accountId, now, reply)
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
    recent_sessions: recentSessions.map(describeUsageSession),
  }
}

export function describeUsageSession(session: RecentSession): UsageSession {
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
