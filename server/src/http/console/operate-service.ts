// For operators: the service itself. Live sessions, the health of engine and database, and the audit log.

import { type AuditEntryList, type Health, type LiveSessionList, MAX_LISTED } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { MODEL_IDS } from '@sauti/protocol/models'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { listDeeds } from '../../accounts/audit.ts'
import { listLiveSessions } from '../../sessions/live.ts'
import { requireOperator } from './member.ts'
import { cutPage, pageQuery } from './params.ts'
import type { ConsoleParts } from './parts.ts'

const MAX_LIVE = 200
const AuditQuery = Type.Object(pageQuery)
type AuditQuery = Static<typeof AuditQuery>

export function serveOperatorService(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = requireOperator(parts)
  app.get(`${CONSOLE_API}/operator/sessions`, { onRequest }, async (): Promise<LiveSessionList> => {
    const sessions = await listLiveSessions(db, clock(), MAX_LIVE)
    const data = sessions.map(({ id, accountId, accountName, model, status, reservedMs, createdAt }) => ({
      id,
      account_id: accountId,
      account_name: accountName,
      model,
      status,
      reserved_ms: reservedMs,
      created_at: createdAt.toISOString(),
    }))
    return { data }
  })

  app.get(`${CONSOLE_API}/operator/health`, { onRequest }, () => readHealth(parts))

  app.get<{ Querystring: AuditQuery }>(
    `${CONSOLE_API}/operator/audit`,
    { schema: { querystring: AuditQuery }, onRequest },
    async ({ query }): Promise<AuditEntryList> => {
      const before = /^\d{1,15}$/.test(query.before ?? '') ? Number(query.before) : undefined
      const deeds = await listDeeds(db, before, MAX_LISTED + 1)
      const { page, next } = cutPage(deeds, MAX_LISTED, deed => String(deed.id))
      const data = page.map(({ id, at, operatorEmail, action, target, details }) => ({
        id: String(id),
        at: at.toISOString(),
        operator: operatorEmail,
        action,
        target,
        details: { ...details },
      }))
      return { data, next }
    },
  )
}

async function readHealth({ db, recogniser, isDraining, mailer, settings }: ConsoleParts): Promise<Health> {
  const startedMs = performance.now()
  const databaseOk = await db.query('SELECT 1').then(
    () => true,
    () => false,
  )
  const engineOk = recogniser.capacity > 0
  return {
    ready: databaseOk && engineOk && !isDraining(),
    uptime_seconds: Math.floor(process.uptime()),
    database: {
      ok: databaseOk,
      engine: settings.databaseUrl === undefined ? 'embedded' : 'PostgreSQL',
      answer_ms: Math.round((performance.now() - startedMs) * 10) / 10,
    },
    engine: {
      ok: engineOk,
      models: [...recogniser.models],
      missing_models: MODEL_IDS.filter(id => !recogniser.models.includes(id)),
      capacity: recogniser.capacity,
      open_streams: recogniser.openStreams,
    },
    mail: mailer !== undefined,
  }
}
