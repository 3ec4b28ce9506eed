// Delete one's own sign-in and personal data. Asks for the password, so that an open browser is not enough; somebody who has none, because
// an organisation signs them in, must have done so a short time ago.

import { DeleteMeRequest } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { forgetPerson } from '../../../accounts/forget.ts'
import { hasPassword } from '../../../accounts/users.ts'
import { requireJson } from '../../json-body.ts'
import type { ConsoleParts } from '../parts.ts'
import type { AttemptLimit } from '../sign-in/attempts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { DEVICE_COOKIE_GONE } from '../sign-in/device.ts'
import { memberOf, requireMember } from '../sign-in/member.ts'
import { APPLICATION_COOKIE_GONE } from '../site/join-waitlist.ts'

export function serveDeleteMe(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  const { db, auth, clock } = parts
  const checkConfirmation = requireConfirmation(parts)
  const options = { schema: { body: DeleteMeRequest }, onRequest: [requireMember(parts), requireJson] }
  app.post<{ Body: DeleteMeRequest }>(`${CONSOLE_API}/me/delete`, options, async (request, reply) => {
    const { id } = memberOf(request)
    if (await hasPassword(db, id)) {
      const undoAttempt = attempts.take(request, id)
      if (!(await auth.checkPassword(id, request.body.password ?? '')))
        throw new ServiceError('wrong_password')
      undoAttempt()
    } else await checkConfirmation(request)
    await db.transaction(tx => forgetPerson(tx, id, clock()))
    const cookies = await auth.signOut(request.headers.cookie ?? '')
    return reply
      .code(204)
      .header('set-cookie', [...cookies, APPLICATION_COOKIE_GONE, DEVICE_COOKIE_GONE])
      .send()
  })
}
