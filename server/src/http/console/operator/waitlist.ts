// For operators: who asks to join, and the decision.

import {
  APPLICATION_STATUSES,
  type Application,
  type ApplicationList,
  ApproveRequest,
  DeclineRequest,
  type Invitation,
  MAX_LISTED,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import { type Static, Type } from '@sauti/protocol/schema'
import type { FastifyInstance } from 'fastify'
import { type Actor, recordAction } from '../../../accounts/audit.ts'
import { createPasswordLink } from '../../../accounts/password-link.ts'
import {
  approveApplication,
  declineApplication,
  listApplications,
  type StoredApplication,
} from '../../../accounts/waitlist.ts'
import { requireJson } from '../../json-body.ts'
import { cutPage, idParams, markOf, pageQuery, readMark } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { actorOf, requireOperator } from '../sign-in/member.ts'
import { invite } from '../sign-in/send-invitation.ts'

const PATH = `${CONSOLE_API}/operator/waitlist`
const ListQuery = Type.Object({ ...pageQuery, status: Type.Optional(Type.Enum([...APPLICATION_STATUSES])) })
type ListQuery = Static<typeof ListQuery>
type ById = { id: string }

export function serveOperatorWaitlist(app: FastifyInstance, parts: ConsoleParts): void {
  const onRequest = requireOperator(parts, 'read')
  const mayDecide = [requireOperator(parts, 'manage'), requireJson]
  const mayApprove = [requireOperator(parts, 'manage'), requireConfirmation(parts), requireJson]
  app.get<{ Querystring: ListQuery }>(
    PATH,
    { schema: { querystring: ListQuery }, onRequest },
    async ({ query }): Promise<ApplicationList> => {
      const rows = await listApplications(parts.db, {
        status: query.status ?? 'waiting',
        before: readMark(query.before),
        limit: MAX_LISTED + 1,
      })
      const { page, next } = cutPage(rows, MAX_LISTED, markOf)
      return { data: page.map(describeApplication), next }
    },
  )

  app.post<{ Params: ById; Body: ApproveRequest }>(
    `${PATH}/:id/approve`,
    { schema: { params: idParams, body: ApproveRequest }, onRequest: mayApprove },
    async request => approve(parts, actorOf(parts, request), request.params.id, request.body.credit_seconds),
  )

  app.post<{ Params: ById; Body: DeclineRequest }>(
    `${PATH}/:id/decline`,
    { schema: { params: idParams, body: DeclineRequest }, onRequest: mayDecide },
    async (request, reply) => {
      await decline(parts, actorOf(parts, request), request.params.id, request.body.note)
      return reply.code(204).send()
    },
  )
}

async function approve(
  parts: ConsoleParts,
  actor: Actor,
  applicationId: string,
  creditSeconds: number,
): Promise<Invitation> {
  const { db, newId, clock, publicUrl } = parts
  const now = clock()
  const { user, link } = await db.transaction(async tx => {
    const approval = { applicationId, operatorId: actor.id!, accountId: newId(), userId: newId(), now }
    const approved = await approveApplication(tx, { ...approval, creditMs: creditSeconds * 1000 })
    if (!approved) throw new ServiceError('already_decided')
    const made = await createPasswordLink(tx, {
      userId: approved.id,
      purpose: 'invitation',
      publicUrl: publicUrl(),
      now,
    })
    await recordAction(tx, {
      actor,
      action: 'application.approve',
      target: approved.email,
      details: { account_id: approval.accountId, credit_seconds: creditSeconds },
      now,
    })
    return { user: approved, link: made }
  })
  return invite(parts, user, link)
}

async function decline(
  { db, clock }: ConsoleParts,
  actor: Actor,
  applicationId: string,
  note: string | undefined,
): Promise<void> {
  const now = clock()
  await db.transaction(async tx => {
    const declined = await declineApplication(tx, { applicationId, operatorId: actor.id!, now })
    if (!declined) throw new ServiceError('already_decided')
    await recordAction(tx, {
      actor,
      action: 'application.decline',
      target: declined.email,
      details: note === undefined ? {} : { note },
      now,
    })
  })
}

function describeApplication(application: StoredApplication): Application {
  return {
    id: application.id,
    name: application.name,
    email: application.email,
    organisation: application.organisation,
    use: application.useCase,
    status: application.status,
    created_at: application.createdAt.toISOString(),
    decided_at: application.decidedAt?.toISOString() ?? null,
    decided_by: application.decidedBy,
    account_id: application.accountId,
  }
}
