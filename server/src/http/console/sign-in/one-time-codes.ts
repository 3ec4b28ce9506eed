// One-time codes as a second factor: switched on and off by the person, asked for after the password.

import { CodeRequest, ConfirmRequest, type OneTimeCodeSetup } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AuditAction, recordAction } from '../../../accounts/audit.ts'
import { describeNewestSignIn } from '../../../accounts/sign-ins.ts'
import { requireJson } from '../../json-body.ts'
import type { ConsoleParts } from '../parts.ts'
import { AttemptLimit, passwordRule } from './attempts.ts'
import { describeBrowser } from './browser-name.ts'
import { actorOf, memberOf, requireMember } from './member.ts'

const PATH = `${CONSOLE_API}/one-time-codes`

export function serveOneTimeCodes(app: FastifyInstance, parts: ConsoleParts): void {
  const { auth } = parts
  const attempts = new AttemptLimit(parts, passwordRule(parts.settings.signInFailures))
  const onRequest = [requireMember(parts), requireJson]

  app.post<{ Body: ConfirmRequest }>(
    `${PATH}/begin`,
    { schema: { body: ConfirmRequest }, onRequest },
    async (request): Promise<OneTimeCodeSetup> => {
      const undoAttempt = attempts.take(request, memberOf(request).id)
      const setup = await auth.beginOneTimeCodes(cookieOf(request), request.body.password)
      if (!setup) throw new ServiceError('wrong_password')
      undoAttempt()
      return { uri: setup.uri, backup_codes: [...setup.backupCodes] }
    },
  )

  app.post<{ Body: CodeRequest }>(
    `${PATH}/finish`,
    { schema: { body: CodeRequest }, onRequest },
    async (request, reply) => {
      const undoAttempt = attempts.take(request, memberOf(request).id)
      const signIn = await auth.finishOneTimeCodes(cookieOf(request), request.body.code)
      if (!signIn) throw new ServiceError('wrong_code')
      undoAttempt()
      await noteChange(parts, request, 'one_time_codes.enable')
      return answer(reply, signIn.cookies)
    },
  )

  app.post<{ Body: ConfirmRequest }>(
    `${PATH}/end`,
    { schema: { body: ConfirmRequest }, onRequest },
    async (request, reply) => {
      const undoAttempt = attempts.take(request, memberOf(request).id)
      const cookies = await auth.endOneTimeCodes(cookieOf(request), request.body.password)
      if (!cookies) throw new ServiceError('wrong_password')
      undoAttempt()
      await noteChange(parts, request, 'one_time_codes.disable')
      return answer(reply, cookies)
    },
  )
}

function cookieOf({ headers }: FastifyRequest): string {
  return headers.cookie ?? ''
}

function answer(reply: FastifyReply, cookies: readonly string[]): FastifyReply {
  return reply
    .code(204)
    .header('set-cookie', [...cookies])
    .send()
}

/** Better Auth makes a new sign-in for this browser, which the password or the code has just confirmed. */
async function noteChange(parts: ConsoleParts, request: FastifyRequest, action: AuditAction): Promise<void> {
  const actor = actorOf(parts, request)
  const now = parts.clock()
  await parts.db.transaction(async tx => {
    await describeNewestSignIn(tx, {
      userId: memberOf(request).id,
      address: parts.clientOf(request.raw),
      browser: describeBrowser(request.headers['user-agent']),
      now,
    })
    await recordAction(tx, { actor, action, target: actor.email, now })
  })
}
