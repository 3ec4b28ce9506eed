// For operators: sessions of all accounts, of now and of the past, with filters.

import { MAX_LISTED, type OperatorSessionList } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { type Static, Type } from '@sauti/protocol/schema'
import type { FastifyInstance } from 'fastify'
import { listSessions } from '../../../sessions/history.ts'
import { readFilter, SessionQuery } from '../account/session-query.ts'
import { describeSessionRow } from '../account/sessions.ts'
import { cutPage, markOf, UUID_PATTERN } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireOperator } from '../sign-in/member.ts'

const AllSessionsQuery = Type.Object({
  ...SessionQuery.properties,
  account: Type.Optional(Type.String({ pattern: UUID_PATTERN })),
})
type AllSessionsQuery = Static<typeof AllSessionsQuery>

export function serveAllSessions(app: FastifyInstance, parts: ConsoleParts): void {
  app.get<{ Querystring: AllSessionsQuery }>(
    `${CONSOLE_API}/operator/all-sessions`,
    { schema: { querystring: AllSessionsQuery }, onRequest: requireOperator(parts, 'read') },
    async ({ query }): Promise<OperatorSessionList> => {
      const filter = { ...readFilter(query), accountId: query.account, limit: MAX_LISTED + 1 }
      const { page, next } = cutPage(await listSessions(parts.db, filter), MAX_LISTED, markOf)
      const data = page.map(session => ({
        ...describeSessionRow(session),
        account_id: session.accountId,
        account_name: session.accountName,
        node_id: session.nodeId,
      }))
      return { data, next }
    },
  )
}
