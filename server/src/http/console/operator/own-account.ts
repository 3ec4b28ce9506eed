// For operators: an account of their own, so that keys, credit and the playground work for them, too.

import type { Me } from '@sauti/protocol/console'
import { CONSOLE_API, STARTING_CREDIT_SECONDS } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { createAccount } from '../../../accounts/accounts.ts'
import { type Actor, recordAction } from '../../../accounts/audit.ts'
import { linkAccount, type User } from '../../../accounts/users.ts'
import { requireJson } from '../../json-body.ts'
import { describeMe } from '../account/describe-me.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { actorOf, memberOf, requireOperator } from '../sign-in/member.ts'

export function serveOwnAccount(app: FastifyInstance, parts: ConsoleParts): void {
  app.post(
    `${CONSOLE_API}/operator/my-account`,
    { onRequest: [requireOperator(parts, 'manage'), requireConfirmation(parts), requireJson] },
    async (request, reply): Promise<Me> => {
      const operator = memberOf(request)
      const accountId = await createOwnAccount(parts, operator, actorOf(parts, request))
      reply.code(201)
      return describeMe(parts, { ...operator, accountId })
    },
  )
}

async function createOwnAccount(
  { db, clock, newId }: ConsoleParts,
  operator: User,
  actor: Actor,
): Promise<string> {
  const now = clock()
  const id = newId()
  await db.transaction(async tx => {
    await createAccount(tx, { id, name: operator.name, creditMs: STARTING_CREDIT_SECONDS * 1000, now })
    // The one statement that decides: a second click at the same time links nothing and takes its account back.
    if (!(await linkAccount(tx, operator.id, id, now))) throw new ServiceError('already_decided')
    const details = { credit_seconds: STARTING_CREDIT_SECONDS }
    await recordAction(tx, { actor, action: 'account.create', target: id, details, now })
  })
  return id
}
