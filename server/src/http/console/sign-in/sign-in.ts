// Sign in and out, and the ways to a new password. No answer reveals whether an address is known.

import {
  CheckLinkRequest,
  CodeRequest,
  type Features,
  ForgotPasswordRequest,
  type Me,
  SetPasswordRequest,
  SignInRequest,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { recordAction, visitorFrom } from '../../../accounts/audit.ts'
import {
  createPasswordLink,
  isPasswordLinkGood,
  redeemPasswordLink,
} from '../../../accounts/password-link.ts'
import { findUser, findUserByEmail, normalizeEmail } from '../../../accounts/users.ts'
import { requireJson } from '../../json-body.ts'
import type { CodeRequired } from '../auth/auth.ts'
import type { SignIn } from '../auth/outcome.ts'
import { allowsPasskeys } from '../auth/own-addresses.ts'
import { newPasswordMail } from '../mail.ts'
import type { ConsoleParts } from '../parts.ts'
import { AttemptLimit, passwordRule } from './attempts.ts'
import { recordOwn, recordRefusal, welcome } from './welcome.ts'

const HOUR_SECONDS = 3600

export function serveSignIn(app: FastifyInstance, parts: ConsoleParts): void {
  const rule = passwordRule(parts.settings.signInFailures)
  serveSignInWithPassword(app, parts, new AttemptLimit(parts, rule))
  serveNewPassword(app, parts, new AttemptLimit(parts, rule))
  // By address alone: nobody is named here. Better Auth counts the wrong codes of each person besides.
  serveSignInWithCode(app, parts, new AttemptLimit(parts, { ...rule, perName: rule.perAddress * 100 }))
  serveForgottenPassword(app, parts, new AttemptLimit(parts, { ...rule, windowSeconds: HOUR_SECONDS }))

  app.get(
    `${CONSOLE_API}/features`,
    async (): Promise<Features> => ({
      mail: parts.mailer !== undefined,
      passkeys: allowsPasskeys(parts.publicUrl()),
      public_url: parts.publicUrl(),
      organisation: parts.organisation === undefined ? null : parts.settings.oidcName,
    }),
  )

  app.post(`${CONSOLE_API}/sign-out`, { onRequest: requireJson }, async (request, reply) => {
    await recordSignOut(parts, request)
    const cookies = await parts.auth.signOut(request.headers.cookie ?? '')
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
    const device = parts.devices.recognise(request.headers.cookie, email)
    const undoAttempt = attempts.take(request, email, device)
    const signIn = await parts.auth.signIn(email, request.body.password)
    if (!signIn) {
      // What people write into the field for the address may be anything, a password included: only known ones are kept.
      await recordRefusal(parts, request, (await findUserByEmail(parts.db, email))?.email ?? null)
      throw new ServiceError('invalid_sign_in')
    }
    undoAttempt()
    return enter(parts, request, reply, signIn)
  })
}

function serveNewPassword(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  // Nobody should choose a password before they learn that the link no longer works.
  app.post<{ Body: CheckLinkRequest }>(
    `${CONSOLE_API}/check-link`,
    { schema: { body: CheckLinkRequest }, onRequest: requireJson },
    async (request, reply) => {
      const { token } = request.body
      const undoAttempt = attempts.take(request, token)
      if (!(await isPasswordLinkGood(parts.db, token, parts.clock()))) throw new ServiceError('invalid_link')
      undoAttempt()
      return reply.code(204).send()
    },
  )

  const options = { schema: { body: SetPasswordRequest }, onRequest: requireJson }
  app.post<{ Body: SetPasswordRequest }>(`${CONSOLE_API}/set-password`, options, async (request, reply) => {
    const { token, password } = request.body
    parts.checkNewPassword(password)
    const undoAttempt = attempts.take(request, token)
    const userId = await redeemPasswordLink(parts.db, token, parts.clock())
    const user = userId && (await findUser(parts.db, userId))
    if (!user) throw new ServiceError('invalid_link')
    undoAttempt()
    await parts.auth.setPassword(user.id, password)
    await recordOwn(parts, request, 'password.set', user)
    const signIn = await parts.auth.signIn(user.email, password)
    return enter(parts, request, reply, signIn!)
  })
}

function serveSignInWithCode(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  const options = { schema: { body: CodeRequest }, onRequest: requireJson }
  app.post<{ Body: CodeRequest }>(`${CONSOLE_API}/sign-in/code`, options, async (request, reply) => {
    const undoAttempt = attempts.take(request, 'a code')
    const code = request.body.code.replaceAll(' ', '')
    const signIn = await parts.auth.signInWithCode(request.headers.cookie ?? '', code)
    if (!signIn) {
      await recordRefusal(parts, request, null, { with: 'code' })
      throw new ServiceError('wrong_code')
    }
    undoAttempt()
    return welcome(parts, request, reply, signIn)
  })
}

/** Throws code_required where the person has switched on one-time codes; the cookies keep what was done so far. */
function enter(
  parts: ConsoleParts,
  request: FastifyRequest,
  reply: FastifyReply,
  signIn: SignIn | CodeRequired,
): Promise<Me> {
  if (signIn.userId !== undefined) return welcome(parts, request, reply, signIn)
  reply.header('set-cookie', [...signIn.cookies])
  throw new ServiceError('code_required')
}

async function recordSignOut(parts: ConsoleParts, request: FastifyRequest): Promise<void> {
  const signIn = await parts.auth.recognise(request.headers.cookie ?? '')
  const user = signIn && (await findUser(parts.db, signIn.userId))
  if (user) await recordOwn(parts, request, 'sign_in.end', user)
}

function serveForgottenPassword(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  const options = { schema: { body: ForgotPasswordRequest }, onRequest: requireJson }
  app.post<{ Body: ForgotPasswordRequest }>(
    `${CONSOLE_API}/forgot-password`,
    options,
    async (request, reply) => {
      attempts.take(request, normalizeEmail(request.body.email))
      // Not awaited: the time that it takes must not reveal whether the address is known.
      sendLink(parts, request).catch(error => parts.log.warn({ err: error }, 'mail could not be sent'))
      reply.code(202)
      return { mail: parts.mailer !== undefined }
    },
  )
}

async function sendLink(
  { db, mailer, publicUrl, clock, clientOf }: ConsoleParts,
  { body, raw }: FastifyRequest<{ Body: ForgotPasswordRequest }>,
): Promise<void> {
  if (mailer === undefined) return
  const user = await findUserByEmail(db, body.email)
  if (user === undefined) return
  const order = { userId: user.id, purpose: 'reset', publicUrl: publicUrl(), now: clock() } as const
  const actor = visitorFrom(clientOf(raw))
  const link = await db.transaction(async tx => {
    const made = await createPasswordLink(tx, order)
    await recordAction(tx, { actor, action: 'password.request_link', target: user.email, now: order.now })
    return made
  })
  await mailer.send(newPasswordMail(user.email, link.url))
}
