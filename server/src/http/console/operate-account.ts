// For operators: what can be done to one account. Each deed and its entry in the audit log are one transaction.

import {
  type AccountDetail,
  GrantRequest,
  type Invitation,
  UpdateAccountRequest,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { setAccountActive, setConcurrencyLimit } from '../../accounts/accounts.ts'
import { recordDeed } from '../../accounts/audit.ts'
import { createPasswordLink } from '../../accounts/password-link.ts'
import { findUser, type User } from '../../accounts/users.ts'
import type { Tx } from '../../db/port.ts'
import { grantCredit } from '../../ledger/grant.ts'
import { requireJson } from '../json-body.ts'
import { invite } from './invite.ts'
import { memberOf, requireOperator } from './member.ts'
import { readAccount } from './operate-accounts.ts'
import { idParams } from './params.ts'
import type { ConsoleParts } from './parts.ts'

type ById = { id: string }

export function serveOperatorAccount(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = [requireOperator(parts), requireJson]
  const path = `${CONSOLE_API}/operator/accounts/:id`
  app.patch<{ Params: ById; Body: UpdateAccountRequest }>(
    path,
    { schema: { params: idParams, body: UpdateAccountRequest }, onRequest },
    async (request): Promise<AccountDetail> => {
      const { id } = request.params
      await db.transaction(tx => change(tx, memberOf(request), id, request.body, clock()))
      return readAccount(parts, id)
    },
  )

  app.post<{ Params: ById; Body: GrantRequest }>(
    `${path}/credits`,
    { schema: { params: idParams, body: GrantRequest }, onRequest },
    async (request): Promise<AccountDetail> => {
      const { id } = request.params
      await db.transaction(tx => grant(tx, memberOf(request), id, request.body, clock()))
      return readAccount(parts, id)
    },
  )

  app.post<{ Params: ById }>(
    `${CONSOLE_API}/operator/users/:id/password-link`,
    { schema: { params: idParams }, onRequest },
    async (request): Promise<Invitation> => makeLink(parts, memberOf(request), request.params.id),
  )
}

async function change(
  tx: Tx,
  operator: User,
  id: string,
  { active, concurrency_limit: limit }: UpdateAccountRequest,
  now: Date,
): Promise<void> {
  if (active !== undefined) {
    if (!(await setAccountActive(tx, id, active))) throw new ServiceError('record_not_found')
    const action = active ? 'account.activate' : 'account.deactivate'
    await recordDeed(tx, { operator, action, target: id, details: {}, now })
  }
  if (limit !== undefined) {
    if (!(await setConcurrencyLimit(tx, id, limit))) throw new ServiceError('record_not_found')
    const details = { concurrency_limit: limit }
    await recordDeed(tx, { operator, action: 'account.set_concurrency', target: id, details, now })
  }
}

async function grant(
  tx: Tx,
  operator: User,
  accountId: string,
  { seconds, note }: GrantRequest,
  now: Date,
): Promise<void> {
  const granted = await grantCredit(tx, { accountId, amountMs: seconds * 1000, note, now })
  if (!granted) throw new ServiceError('record_not_found')
  await recordDeed(tx, {
    operator,
    action: 'credit.grant',
    target: accountId,
    details: { seconds, note },
    now,
  })
}

async function makeLink(parts: ConsoleParts, operator: User, userId: string): Promise<Invitation> {
  const { db, clock, publicUrl } = parts
  const now = clock()
  const { user, link } = await db.transaction(async tx => {
    const found = await findUser(tx, userId)
    if (!found) throw new ServiceError('record_not_found')
    await recordDeed(tx, { operator, action: 'user.password_link', target: found.email, details: {}, now })
    return { user: found, link: await createPasswordLink(tx, { userId, publicUrl: publicUrl(), now }) }
  })
  return invite(parts, user, link)
}
