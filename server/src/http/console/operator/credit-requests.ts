// For operators: requests for more credit, and what waits for them in all.

import {
  type CreditRequestList,
  GrantCreditRequest,
  MAX_LISTED,
  type OperatorBadge,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { type Actor, recordAction } from '../../../accounts/audit.ts'
import { countWaiting, decideCreditRequest, listCreditRequests } from '../../../accounts/credit-requests.ts'
import type { User } from '../../../accounts/users.ts'
import { grantCredit } from '../../../ledger/grant.ts'
import { requireJson } from '../../json-body.ts'
import { creditGrantedMail } from '../mail.ts'
import { idParams } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { actorOf, memberOf, requireOperator } from '../sign-in/member.ts'
import { checkGrantCap } from './account.ts'

const PATH = `${CONSOLE_API}/operator/credit-requests`
type ById = { id: string }

export function serveOperatorCreditRequests(app: FastifyInstance, parts: ConsoleParts): void {
  const { db } = parts
  const onRequest = requireOperator(parts, 'read')
  const mayGrant = [requireOperator(parts, 'grant'), requireConfirmation(parts), requireJson]
  const mayDismiss = [requireOperator(parts, 'grant'), requireJson]
  app.get(`${CONSOLE_API}/operator/badge`, { onRequest }, async (): Promise<OperatorBadge> => {
    const { applications, creditRequests } = await countWaiting(db)
    return { applications, credit_requests: creditRequests }
  })

  app.get(PATH, { onRequest }, async (): Promise<CreditRequestList> => {
    const requests = await listCreditRequests(db, MAX_LISTED)
    const data = requests.map(
      ({ id, accountId, accountName, userName, email, note, availableMs, createdAt }) => ({
        id,
        account_id: accountId,
        account_name: accountName,
        person: userName,
        email,
        note,
        available_ms: availableMs,
        created_at: createdAt.toISOString(),
      }),
    )
    return { data }
  })

  app.post<{ Params: ById; Body: GrantCreditRequest }>(
    `${PATH}/:id/grant`,
    { schema: { params: idParams, body: GrantCreditRequest }, onRequest: mayGrant },
    async (request, reply) => {
      const operator = { ...memberOf(request), actor: actorOf(parts, request) }
      await grant(parts, operator, request.params.id, request.body.seconds)
      return reply.code(204).send()
    },
  )

  app.post<{ Params: ById }>(
    `${PATH}/:id/dismiss`,
    { schema: { params: idParams }, onRequest: mayDismiss },
    async (request, reply) => {
      await dismiss(parts, actorOf(parts, request), request.params.id)
      return reply.code(204).send()
    },
  )
}

async function grant(
  parts: ConsoleParts,
  operator: User & { actor: Actor },
  id: string,
  seconds: number,
): Promise<void> {
  const { db, clock, mailer, log, publicUrl } = parts
  const now = clock()
  const decided = await db.transaction(async tx => {
    const request = await decideCreditRequest(tx, id, 'granted', now)
    if (request === undefined) throw new ServiceError('already_decided')
    await checkGrantCap(tx, parts, operator, seconds)
    const { accountId } = request
    const note = 'credit request'
    await grantCredit(tx, { accountId, amountMs: seconds * 1000, note, now })
    const details = { seconds, note }
    const { actor } = operator
    await recordAction(tx, { actor, action: 'credit.grant', target: accountId, details, now })
    return request
  })
  mailer
    ?.send(creditGrantedMail(decided.email, seconds, `${publicUrl()}/app`))
    .catch(error => log.warn({ err: error }, 'mail could not be sent'))
}

async function dismiss({ db, clock }: ConsoleParts, actor: Actor, id: string): Promise<void> {
  const now = clock()
  await db.transaction(async tx => {
    const request = await decideCreditRequest(tx, id, 'dismissed', now)
    if (request === undefined) throw new ServiceError('already_decided')
    await recordAction(tx, { actor, action: 'credit.dismiss', target: request.accountId, now })
  })
}
