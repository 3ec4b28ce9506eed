// Join the waitlist, learn the decision, withdraw the request. The answers are the same for every address.

import { randomBytes } from 'node:crypto'
import { type ApplicationState, JoinRequest } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Actor, recordAction, visitorFrom } from '../../../accounts/audit.ts'
import { forgetApplicant } from '../../../accounts/forget.ts'
import { findUserByEmail, normalizeEmail } from '../../../accounts/users.ts'
import { apply, readApplicationStatus } from '../../../accounts/waitlist.ts'
import { requireJson } from '../../json-body.ts'
import { alreadyMemberMail, newApplicationMail } from '../mail.ts'
import { mailOperators } from '../operator/mail-operators.ts'
import type { ConsoleParts } from '../parts.ts'
import { AttemptLimit } from '../sign-in/attempts.ts'
import { readCookie } from '../sign-in/cookie.ts'

const COOKIE = '__Host-sauti_application'
const COOKIE_SECONDS = 180 * 24 * 3600
const COOKIE_RULES = 'Path=/; HttpOnly; Secure; SameSite=Lax'
/** For a browser that must no longer know about an application. */
export const APPLICATION_COOKIE_GONE = `${COOKIE}=; Max-Age=0; ${COOKIE_RULES}`
const HOUR_SECONDS = 3600

export function serveWaitlist(app: FastifyInstance, parts: ConsoleParts): void {
  const { settings } = parts
  const attempts = new AttemptLimit(parts, {
    perAddress: settings.joinsPerHour,
    perName: settings.joinsPerHour,
    perNameAndAddress: settings.joinsPerHour,
    windowSeconds: HOUR_SECONDS,
  })
  const options = { schema: { body: JoinRequest }, onRequest: requireJson }

  app.post<{ Body: JoinRequest }>(`${CONSOLE_API}/waitlist`, options, async (request, reply) => {
    attempts.take(request, normalizeEmail(request.body.email))
    const token = randomBytes(32).toString('base64url')
    await join(parts, request, token)
    reply.code(202).header('set-cookie', `${COOKIE}=${token}; Max-Age=${COOKIE_SECONDS}; ${COOKIE_RULES}`)
    return { status: 'waiting' } satisfies ApplicationState
  })

  app.get(`${CONSOLE_API}/application`, async ({ headers }): Promise<ApplicationState> => {
    const token = readCookie(headers.cookie, COOKIE)
    return { status: token === undefined ? 'none' : await readApplicationStatus(parts.db, token) }
  })

  app.delete(`${CONSOLE_API}/application`, async ({ headers, raw }, reply) => {
    const token = readCookie(headers.cookie, COOKIE)
    if (token !== undefined) await withdraw(parts, token, visitorFrom(parts.clientOf(raw)))
    return reply.code(204).header('set-cookie', APPLICATION_COOKIE_GONE).send()
  })
}

async function withdraw({ db, clock }: ConsoleParts, token: string, actor: Actor): Promise<void> {
  await db.transaction(async tx => {
    await forgetApplicant(tx, token)
    await recordAction(tx, { actor, action: 'application.withdraw', target: null, now: clock() })
  })
}

async function join(
  parts: ConsoleParts,
  { body: form, raw }: FastifyRequest<{ Body: JoinRequest }>,
  token: string,
) {
  const { db, newId, clock, clientOf, mailer, publicUrl, log } = parts
  const application = {
    id: newId(),
    name: form.name.trim(),
    email: form.email,
    organisation: form.organisation.trim(),
    useCase: form.use.trim(),
    token,
    now: clock(),
  }
  const outcome = await db.transaction(async tx => {
    const result = await apply(tx, application)
    const actor = visitorFrom(clientOf(raw))
    const target = normalizeEmail(form.email)
    // Whatever the result: the same work, so that the time it takes reveals nothing.
    await recordAction(tx, { actor, action: 'application.submit', target, now: application.now })
    return result
  })
  if (outcome === 'new')
    mailOperators(parts, to => newApplicationMail(to, form.name, form.use, `${publicUrl()}/operator`))
  if (outcome === 'new' || mailer === undefined) return
  const member = await findUserByEmail(db, form.email)
  if (member === undefined) return
  // Not awaited: how long the mail takes must not reveal whether there is somebody to write to.
  mailer
    .send(alreadyMemberMail(member.email, `${publicUrl()}/signin`))
    .catch(error => log.warn({ err: error }, 'mail could not be sent'))
}
