// Where the signed-in person is signed in, and the end of any or all of it.

import type { SignInList } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { recordAction } from '../../../accounts/audit.ts'
import { endSignIn, listSignIns } from '../../../accounts/sign-ins.ts'
import { endSignIns } from '../../../accounts/users.ts'
import { requireJson } from '../../json-body.ts'
import { idParams } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { actorOf, memberOf, requireMember, signInOf } from './member.ts'

const PATH = `${CONSOLE_API}/sign-ins`

export function serveMySignIns(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = requireMember(parts)
  app.get(PATH, { onRequest }, async (request): Promise<SignInList> => {
    const signIns = await listSignIns(db, memberOf(request).id, clock())
    const data = signIns.map(({ id, createdAt, lastSeenAt, address, browser }) => ({
      id,
      created_at: createdAt.toISOString(),
      last_seen_at: lastSeenAt.toISOString(),
      address,
      browser,
      current: id === signInOf(request),
    }))
    return { data }
  })

  app.delete<{ Params: { id: string } }>(
    `${PATH}/:id`,
    { schema: { params: idParams }, onRequest },
    async (request, reply) => {
      const actor = actorOf(parts, request)
      await db.transaction(async tx => {
        const isEnded = await endSignIn(tx, memberOf(request).id, request.params.id)
        if (!isEnded) throw new ServiceError('record_not_found')
        await recordAction(tx, { actor, action: 'sign_in.end', target: actor.email, now: clock() })
      })
      return reply.code(204).send()
    },
  )

  app.post(`${PATH}/end-all`, { onRequest: [onRequest, requireJson] }, async (request, reply) => {
    const actor = actorOf(parts, request)
    await db.transaction(async tx => {
      await endSignIns(tx, memberOf(request).id)
      await recordAction(tx, { actor, action: 'sign_in.end_all', target: actor.email, now: clock() })
    })
    return reply.code(204).send()
  })
}
