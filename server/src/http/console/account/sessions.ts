// The sessions of the signed-in person's account: list, CSV, and giving back one that was not opened.

import { MAX_LISTED, type SessionRow, type SessionRowList } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { FastifyInstance } from 'fastify'
import { cancelSession } from '../../../ledger/cancel.ts'
import { listSessions, type PastSession } from '../../../sessions/history.ts'
import { describeUsageSession } from '../../api/read-usage.ts'
import { cutPage, idParams, markOf } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { accountOf, requireMember } from '../sign-in/member.ts'
import { readFilter, SessionQuery } from './session-query.ts'
import { writeSessionCsv } from './sessions-csv.ts'

const PATH = `${CONSOLE_API}/sessions`
const MAX_CSV_ROWS = 50_000

export function serveMySessions(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = requireMember(parts)
  app.get<{ Querystring: SessionQuery }>(
    PATH,
    { schema: { querystring: SessionQuery }, onRequest },
    async (request): Promise<SessionRowList> => {
      const filter = { ...readFilter(request.query), accountId: accountOf(request), limit: MAX_LISTED + 1 }
      const { page, next } = cutPage(await listSessions(db, filter), MAX_LISTED, markOf)
      return { data: page.map(describeSessionRow), next }
    },
  )

  app.get<{ Querystring: SessionQuery }>(
    `${PATH}.csv`,
    { schema: { querystring: SessionQuery }, onRequest },
    async (request, reply) => {
      const filter = { ...readFilter(request.query), accountId: accountOf(request), limit: MAX_CSV_ROWS }
      return reply
        .header('content-type', 'text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="sauti-sessions.csv"')
        .header('cache-control', 'no-store')
        .send(writeSessionCsv(await listSessions(db, filter)))
    },
  )

  app.delete<{ Params: { id: string } }>(
    `${PATH}/:id`,
    { schema: { params: idParams }, onRequest },
    async request => {
      const order = { sessionId: request.params.id, accountId: accountOf(request), now: clock() }
      return describeUsageSession(await db.transaction(tx => cancelSession(tx, order)))
    },
  )
}

export function describeSessionRow(session: PastSession): SessionRow {
  return {
    id: session.id,
    model: session.model,
    status: session.status,
    ending: session.ending,
    key: session.keyId === null ? null : { id: session.keyId, name: session.keyName ?? '' },
    reserved_ms: session.reservedMs,
    audio_ms: session.audioMs,
    billable_ms: session.billableMs,
    created_at: session.createdAt.toISOString(),
    completed_at: session.completedAt?.toISOString() ?? null,
  }
}
