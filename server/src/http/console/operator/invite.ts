// An invited person: the sign-in, and a link to set a password. For operators: an account with its first person.

import { CreateAccountRequest, type Invitation } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { createAccount } from '../../../accounts/accounts.ts'
import { type Actor, recordAction } from '../../../accounts/audit.ts'
import { createPasswordLink } from '../../../accounts/password-link.ts'
import { createUser, type NewUser } from '../../../accounts/users.ts'
import type { Tx } from '../../../db/port.ts'
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

function createAccountWithPerson(
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
  return inviteNewUser(parts, user, {
    before: tx => createAccount(tx, { id: accountId, name: name.trim(), creditMs: seconds * 1000, now }),
    after: tx =>
      recordAction(tx, {
        actor,
        action: 'account.create',
        target: accountId,
        details: { credit_seconds: seconds },
        now,
      }),
  })
}

interface Steps {
  readonly before?: (tx: Tx) => Promise<void>
  /** The audit log comes last: all its entries wait for each other. */
  readonly after: (tx: Tx) => Promise<void>
}

/** The person and everything that is made for them are one transaction: an address that is taken leaves nothing behind. */
export async function inviteNewUser(parts: ConsoleParts, person: NewUser, steps: Steps): Promise<Invitation> {
  const { db, publicUrl } = parts
  const { user, link } = await db.transaction(async tx => {
    await steps.before?.(tx)
    const created = await createUser(tx, person)
    if (created === undefined) throw new ServiceError('email_taken')
    const made = await createPasswordLink(tx, {
      userId: created.id,
      purpose: 'invitation',
      publicUrl: publicUrl(),
      now: person.now,
    })
    await steps.after(tx)
    return { user: created, link: made }
  })
  return invite(parts, user, link)
}
