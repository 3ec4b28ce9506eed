// For operators: what can be done to one account. Each action and its entry in the audit log are one transaction.

import {
  type AccountDetail,
  GrantRequest,
  type Invitation,
  UpdateAccountRequest,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { setAccountActive, setConcurrencyLimit } from '../../../accounts/accounts.ts'
import { type Actor, recordAction } from '../../../accounts/audit.ts'
import { secondsGrantedSince } from '../../../accounts/operators.ts'
import { createPasswordLink } from '../../../accounts/password-link.ts'
import { findUser, hasPassword, type User } from '../../../accounts/users.ts'
import type { Tx } from '../../../db/port.ts'
import { grantCredit } from '../../../ledger/grant.ts'
import { requireJson } from '../../json-body.ts'
import { idParams } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { actorOf, memberOf, requireOperator } from '../sign-in/member.ts'
import { invite } from '../sign-in/send-invitation.ts'
import { readAccount } from './accounts.ts'

type ById = { id: string }

export function serveOperatorAccount(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = [requireOperator(parts, 'manage'), requireJson]
  const isConfirmed = requireConfirmation(parts)
  const mayGrant = [requireOperator(parts, 'grant'), isConfirmed, requireJson]
  const mayMakeLinks = [requireOperator(parts, 'manage'), isConfirmed, requireJson]
  const path = `${CONSOLE_API}/operator/accounts/:id`
  app.patch<{ Params: ById; Body: UpdateAccountRequest }>(
    path,
    { schema: { params: idParams, body: UpdateAccountRequest }, onRequest },
    async (request): Promise<AccountDetail> => {
      const { id } = request.params
      await db.transaction(tx => change(tx, actorOf(parts, request), id, request.body, clock()))
      return readAccount(parts, id)
    },
  )

  app.post<{ Params: ById; Body: GrantRequest }>(
    `${path}/credits`,
    { schema: { params: idParams, body: GrantRequest }, onRequest: mayGrant },
    async (request): Promise<AccountDetail> => {
      const { id } = request.params
      await db.transaction(async tx => {
        await checkGrantCap(tx, parts, memberOf(request), request.body.seconds)
        await grant(tx, actorOf(parts, request), id, request.body, clock())
      })
      return readAccount(parts, id)
    },
  )

  app.post<{ Params: ById }>(
    `${CONSOLE_API}/operator/users/:id/password-link`,
    { schema: { params: idParams }, onRequest: mayMakeLinks },
    async (request): Promise<Invitation> => makeLink(parts, actorOf(parts, request), request.params.id),
  )
}

async function change(
  tx: Tx,
  actor: Actor,
  id: string,
  { active, concurrency_limit: limit }: UpdateAccountRequest,
  now: Date,
): Promise<void> {
  if (active !== undefined) {
    if (!(await setAccountActive(tx, id, active))) throw new ServiceError('record_not_found')
    const action = active ? 'account.activate' : 'account.deactivate'
    await recordAction(tx, { actor, action, target: id, now })
  }
  if (limit !== undefined) {
    if (!(await setConcurrencyLimit(tx, id, limit))) throw new ServiceError('record_not_found')
    const details = { concurrency_limit: limit }
    await recordAction(tx, { actor, action: 'account.set_concurrency', target: id, details, now })
  }
}

const DAY_MS = 24 * 3600 * 1000

/** What support may grant within a day, in all: many small grants count like one large one. */
export async function checkGrantCap(
  tx: Tx,
  { settings, clock }: ConsoleParts,
  operator: User,
  seconds: number,
) {
  if (operator.operatorRole !== 'support') return
  const since = new Date(clock().getTime() - DAY_MS)
  const granted = await secondsGrantedSince(tx, operator.id, since)
  if (granted + seconds > settings.supportGrantSeconds) throw new ServiceError('grant_cap_exceeded')
}

async function grant(
  tx: Tx,
  actor: Actor,
  accountId: string,
  { seconds, note }: GrantRequest,
  now: Date,
): Promise<void> {
  const granted = await grantCredit(tx, { accountId, amountMs: seconds * 1000, note, now })
  if (!granted) throw new ServiceError('record_not_found')
  await recordAction(tx, {
    actor,
    action: 'credit.grant',
    target: accountId,
    details: { seconds, note },
    now,
  })
}

async function makeLink(parts: ConsoleParts, actor: Actor, userId: string): Promise<Invitation> {
  const { db, clock, publicUrl } = parts
  const now = clock()
  const { user, link } = await db.transaction(async tx => {
    const found = await findUser(tx, userId)
    if (!found) throw new ServiceError('record_not_found')
    const purpose = (await hasPassword(tx, userId)) ? 'reset' : 'invitation'
    const made = await createPasswordLink(tx, { userId, purpose, publicUrl: publicUrl(), now })
    await recordAction(tx, { actor, action: 'user.password_link', target: found.email, now })
    return { user: found, link: made }
  })
  return invite(parts, user, link)
}
