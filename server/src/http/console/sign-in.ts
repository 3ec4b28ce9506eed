// Sign in and out, and the ways to a new password. No answer tells whether an address is known.

import { ForgotPasswordRequest, type Me, SetPasswordRequest, SignInRequest } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createPasswordLink, redeemPasswordLink } from '../../accounts/password-link.ts'
import { dropEndedSignIns, findUser, findUserByEmail, normalizeEmail } from '../../accounts/users.ts'
import { requireJson } from '../json-body.ts'
import { type AttemptLimit, limitAttempts, passwordRule } from './attempts.ts'
import type { SignIn } from './auth.ts'
import { describeMe } from './describe-me.ts'
import { newPasswordMail } from './mail.ts'
import type { ConsoleParts } from './parts.ts'

const HOUR_SECONDS = 3600

export function serveSignIn(app: FastifyInstance, parts: ConsoleParts): void {
  const { clock, settings } = parts
  const rule = passwordRule(settings.signInFailures)
  serveSignInWithPassword(app, parts, limitAttempts(clock, rule))
  serveNewPassword(app, parts, limitAttempts(clock, rule))
  serveForgottenPassword(app, parts, limitAttempts(clock, { ...rule, windowSeconds: HOUR_SECONDS }))

  app.post(`${CONSOLE_API}/sign-out`, { onRequest: requireJson }, async ({ headers }, reply) => {
    const cookies = await parts.auth.signOut(headers.cookie ?? '')
    return reply
      .code(204)
      .header('set-cookie', [...cookies])
      .send()
  })
}

function serveSignInWithPassword(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  const options = { schema: { body: SignInRequest }, onRequest: requireJson }
  app.post<{ Body: SignInRequest }>(`${CONSOLE_API}/sign-in`, options, async (request, reply) => {
    const email = normalizeEmail(request.body.email)
    const forgive = attempts.take(request, email)
    const signIn = await parts.auth.signIn(email, request.body.password)
    if (!signIn) throw new ServiceError('invalid_sign_in')
    forgive()
    return welcome(parts, reply, signIn)
  })
}

function serveNewPassword(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  const options = { schema: { body: SetPasswordRequest }, onRequest: requireJson }
  app.post<{ Body: SetPasswordRequest }>(`${CONSOLE_API}/set-password`, options, async (request, reply) => {
    const { token, password } = request.body
    const forgive = attempts.take(request, token)
    const userId = await redeemPasswordLink(parts.db, token, parts.clock())
    const user = userId && (await findUser(parts.db, userId))
    if (!user) throw new ServiceError('invalid_link')
    forgive()
    await parts.auth.setPassword(user.id, password)
    const signIn = await parts.auth.signIn(user.email, password)
    return welcome(parts, reply, signIn!)
  })
}

async function welcome(parts: ConsoleParts, reply: FastifyReply, signIn: SignIn): Promise<Me> {
  await dropEndedSignIns(parts.db, parts.clock())
  const user = await findUser(parts.db, signIn.userId)
  reply.header('set-cookie', [...signIn.cookies])
  return describeMe(parts, user!)
}

function serveForgottenPassword(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  const options = { schema: { body: ForgotPasswordRequest }, onRequest: requireJson }
  app.post<{ Body: ForgotPasswordRequest }>(
    `${CONSOLE_API}/forgot-password`,
    options,
    async (request, reply) => {
      attempts.take(request, normalizeEmail(request.body.email))
      // Not awaited: the time that it takes must not tell whether the address is known.
      sendLink(parts, request.body.email).catch(error =>
        parts.log.warn({ err: error }, 'mail could not be sent'),
      )
      reply.code(202)
      return { mail: parts.mailer !== undefined }
    },
  )
}

async function sendLink({ db, mailer, publicUrl, clock }: ConsoleParts, email: string): Promise<void> {
  if (mailer === undefined) return
  const user = await findUserByEmail(db, email)
  if (user === undefined) return
  const link = await createPasswordLink(db, { userId: user.id, publicUrl: publicUrl(), now: clock() })
  await mailer.send(newPasswordMail(user.email, link.url))
}
