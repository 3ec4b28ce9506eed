// For operators: an account with its first person, who gets a link to set a password.

import { CreateAccountRequest, type Invitation } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { createAccount } from '../../../accounts/accounts.ts'
import { type Actor, recordAction } from '../../../accounts/audit.ts'
import { createPasswordLink } from '../../../accounts/password-link.ts'
import { createUser } from '../../../accounts/users.ts'
import { requireJson } from '../../json-body.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { actorOf, requireOperator } from '../sign-in/member.ts'
import { invite } from '../sign-in/send-invitation.ts'

export function serveInvitations(app: FastifyInstance, parts: ConsoleParts): void {
  const onRequest = [requireOperator(parts, 'manage'), requireConfirmation(parts), requireJson]
  app.post<{ Body: CreateAccountRequest }>(
    `${CONSOLE_API}/operator/accounts`,
    { schema: { body: CreateAccountRequest }, onRequest },
    async (request, reply): Promise<Invitation> => {
      reply.code(201)
      return createAccountWithPerson(parts, actorOf(parts, request), request.body)
    },
  )
}

async function createAccountWithPerson(
  parts: ConsoleParts,
  actor: Actor,
  { name, person, email, credit_seconds: seconds }: CreateAccountRequest,
): Promise<Invitation> {
  const { newId, clock } = parts
  const [accountId, now] = [newId(), clock()]
  const user = {
    id: newId(),
    name: person.trim(),
    email,
    role: 'developer',
    operatorRole: 'owner',
    accountId,
    now,
  } as const
  // One transaction: an address that is taken leaves no account behind.
  const { created, link } = await parts.db.transaction(async tx => {
    await createAccount(tx, { id: accountId, name: name.trim(), creditMs: seconds * 1000, now })
    const created = await createUser(tx, user)
    if (created === undefined) throw new ServiceError('email_taken')
    const order = { userId: created.id, purpose: 'invitation', publicUrl: parts.publicUrl(), now } as const
    const link = await createPasswordLink(tx, order)
    const details = { credit_seconds: seconds }
    await recordAction(tx, { actor, action: 'account.create', target: accountId, details, now })
    return { created, link }
  })
  return invite(parts, created, link)
}
