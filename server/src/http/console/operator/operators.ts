// For owners: who else runs the service, in which role, and the end of anybody's sign-ins.

import {
  CreateOperatorRequest,
  type Invitation,
  type OperatorList,
  UpdateOperatorRequest,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { recordAction } from '../../../accounts/audit.ts'
import {
  createOperator,
  listOperators,
  type OperatorChange,
  removeOperator,
  setOperatorRole,
} from '../../../accounts/operators.ts'
import { endSignIns, findUser } from '../../../accounts/users.ts'
import { requireJson } from '../../json-body.ts'
import { idParams } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { actorOf, requireOperator } from '../sign-in/member.ts'
import { invite } from '../sign-in/send-invitation.ts'

const PATH = `${CONSOLE_API}/operator/operators`
type ById = { Params: { id: string } }

export function serveOperators(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const mayManage = requireOperator(parts, 'manage')
  const confirmed = [mayManage, requireConfirmation(parts)]
  const changeOf = (request: FastifyRequest<ById>): OperatorChange => ({
    userId: request.params.id,
    actor: actorOf(parts, request),
    now: clock(),
  })

  app.get(PATH, { onRequest: requireOperator(parts, 'read') }, () => readOperators(parts))

  app.post<{ Body: CreateOperatorRequest }>(
    PATH,
    { schema: { body: CreateOperatorRequest }, onRequest: [...confirmed, requireJson] },
    async (request, reply): Promise<Invitation> => {
      reply.code(201)
      return inviteOperator(parts, request)
    },
  )

  app.patch<ById & { Body: UpdateOperatorRequest }>(
    `${PATH}/:id`,
    { schema: { params: idParams, body: UpdateOperatorRequest }, onRequest: [...confirmed, requireJson] },
    async (request): Promise<OperatorList> => {
      await db.transaction(tx => setOperatorRole(tx, request.body.role, changeOf(request)))
      return readOperators(parts)
    },
  )

  app.delete<ById>(
    `${PATH}/:id`,
    { schema: { params: idParams }, onRequest: confirmed },
    async (request, reply) => {
      await db.transaction(tx => removeOperator(tx, changeOf(request)))
      return reply.code(204).send()
    },
  )

  app.post<ById>(
    `${CONSOLE_API}/operator/users/:id/end-sign-ins`,
    { schema: { params: idParams }, onRequest: [mayManage, requireJson] },
    async (request, reply) => {
      await endSignInsOf(parts, changeOf(request))
      return reply.code(204).send()
    },
  )
}

async function readOperators({ db }: ConsoleParts): Promise<OperatorList> {
  const operators = await listOperators(db)
  const data = operators.map(({ id, name, email, operatorRole, lastSignInAt }) => ({
    id,
    name,
    email,
    role: operatorRole,
    last_sign_in_at: lastSignInAt?.toISOString() ?? null,
  }))
  return { data }
}

async function inviteOperator(
  parts: ConsoleParts,
  request: FastifyRequest<{ Body: CreateOperatorRequest }>,
): Promise<Invitation> {
  const { email, name, role } = request.body
  const order = {
    id: parts.newId(),
    email,
    name: name.trim(),
    operatorRole: role,
    accountId: null,
    actor: actorOf(parts, request),
    publicUrl: parts.publicUrl(),
    now: parts.clock(),
  }
  const { user, link } = await parts.db.transaction(tx => createOperator(tx, order))
  return invite(parts, user, link)
}

async function endSignInsOf({ db }: ConsoleParts, { userId, actor, now }: OperatorChange): Promise<void> {
  await db.transaction(async tx => {
    const user = await findUser(tx, userId)
    if (!user) throw new ServiceError('record_not_found')
    await endSignIns(tx, userId)
    await recordAction(tx, { actor, action: 'sign_in.end_all', target: user.email, now })
  })
}
