// An account asks the operators for more credit. They see it on their list and, where a mail server is set, by email.

import { AskForCreditRequest } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { FastifyInstance } from 'fastify'
import { recordAction } from '../../../accounts/audit.ts'
import { isWaitingForCredit, requestCredit } from '../../../accounts/credit-requests.ts'
import { requireJson } from '../../json-body.ts'
import { creditRequestedMail } from '../mail.ts'
import { mailOperators } from '../operator/mail-operators.ts'
import type { ConsoleParts } from '../parts.ts'
import { accountOf, actorOf, memberOf, requireMember } from '../sign-in/member.ts'

const PATH = `${CONSOLE_API}/credit-requests`

export function serveCreditRequests(app: FastifyInstance, parts: ConsoleParts): void {
  const onRequest = requireMember(parts)
  app.get(PATH, { onRequest }, async request => ({
    waiting: await isWaitingForCredit(parts.db, accountOf(request)),
  }))

  app.post<{ Body: AskForCreditRequest }>(
    PATH,
    { schema: { body: AskForCreditRequest }, onRequest: [onRequest, requireJson] },
    async (request, reply) => {
      const { db, newId, clock, publicUrl } = parts
      const member = memberOf(request)
      const note = request.body.note.trim()
      const [accountId, now] = [accountOf(request), clock()]
      const order = { id: newId(), accountId, userId: member.id, note, now }
      const isNew = await db.transaction(async tx => {
        const made = await requestCredit(tx, order)
        const actor = actorOf(parts, request)
        if (made) await recordAction(tx, { actor, action: 'credit.request', target: accountId, now })
        return made
      })
      // A request that is repeated counts once: operators get one email.
      if (isNew)
        mailOperators(parts, to => creditRequestedMail(to, member.name, note, `${publicUrl()}/operator`))
      reply.code(202)
      return { waiting: true }
    },
  )
}
