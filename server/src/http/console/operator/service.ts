// For operators: the service itself. Live sessions, the health of engine and database, and the audit log.

import { Readable } from 'node:stream'
import {
  type AuditEntryList,
  type Health,
  type LiveSessionList,
  MAX_LISTED,
  type NodeList,
  type NodeView,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { MODEL_IDS } from '@sauti/protocol/models'
import { type Static, Type } from '@sauti/protocol/schema'
import type { FastifyInstance } from 'fastify'
import { listActions, type StoredAction } from '../../../accounts/audit.ts'
import { exportAudit } from '../../../accounts/audit-chain.ts'
import { type ListedNode, listNodes } from '../../../nodes/registry.ts'
import { type LiveSession, listLiveSessions } from '../../../sessions/live.ts'
import { readCounter, readHistogram } from '../../monitoring/read-histogram.ts'
import { cutPage, pageQuery } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireOperator } from '../sign-in/member.ts'

const MAX_LIVE = 200
const AuditQuery = Type.Object(pageQuery)
type AuditQuery = Static<typeof AuditQuery>

export function serveOperatorService(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = requireOperator(parts, 'read')
  app.get(`${CONSOLE_API}/operator/sessions`, { onRequest }, async (): Promise<LiveSessionList> => {
    const sessions = await listLiveSessions(db, clock(), MAX_LIVE)
    return { data: sessions.map(describeLiveSession) }
  })

  app.get(`${CONSOLE_API}/operator/nodes`, { onRequest }, async (): Promise<NodeList> => {
    const nodes = await listNodes(db)
    return { data: nodes.map(node => describeNode(node, parts.node.id)) }
  })

  app.get(`${CONSOLE_API}/operator/health`, { onRequest }, () => readHealth(parts))

  app.get<{ Querystring: AuditQuery }>(
    `${CONSOLE_API}/operator/audit`,
    { schema: { querystring: AuditQuery }, onRequest },
    async ({ query }): Promise<AuditEntryList> => {
      const before = /^\d{1,15}$/.test(query.before ?? '') ? Number(query.before) : undefined
      const actions = await listActions(db, before, MAX_LISTED + 1)
      const { page, next } = cutPage(actions, MAX_LISTED, action => String(action.id))
      return { data: page.map(describeAction), next }
    },
  )

  app.get(`${CONSOLE_API}/operator/audit.jsonl`, { onRequest }, (_request, reply) =>
    reply
      .header('content-type', 'application/x-ndjson; charset=utf-8')
      .header('content-disposition', 'attachment; filename="sauti-audit.jsonl"')
      .send(Readable.from(exportAudit(db))),
  )
}

function describeLiveSession(session: LiveSession): LiveSessionList['data'][number] {
  return {
    id: session.id,
    account_id: session.accountId,
    account_name: session.accountName,
    model: session.model,
    status: session.status,
    reserved_ms: session.reservedMs,
    created_at: session.createdAt.toISOString(),
  }
}

function describeAction(entry: StoredAction): AuditEntryList['data'][number] {
  return {
    id: String(entry.id),
    at: entry.at.toISOString(),
    operator: entry.actor,
    address: entry.address,
    action: entry.action,
    target: entry.target,
    target_name: entry.targetName,
    target_account_id: entry.targetAccountId,
    details: { ...entry.details },
  }
}

function describeNode(node: ListedNode, thisNodeId: string): NodeView {
  return {
    id: node.id,
    version: node.version,
    url: node.url,
    state: node.state,
    models: [...node.models],
    capacity: node.capacity,
    open_streams: node.openStreams,
    sessions: node.sessions,
    silent_ms: node.silentMs,
    started_at: node.startedAt.toISOString(),
    is_this_node: node.id === thisNodeId,
  }
}

async function readHealth(parts: ConsoleParts): Promise<Health> {
  const { db, recogniser, isDraining, mailer, settings, metrics } = parts
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
      engines_lost: await readCounter(metrics, 'sauti_recogniser_engines_lost_total'),
    },
    latency: {
      first_words: await readHistogram(metrics, 'sauti_stream_first_delta_seconds'),
      final_text: await readHistogram(metrics, 'sauti_stream_flush_to_final_seconds'),
      engine_step: await readHistogram(metrics, 'sauti_recogniser_step_seconds'),
    },
    mail: mailer !== undefined,
  }
}
