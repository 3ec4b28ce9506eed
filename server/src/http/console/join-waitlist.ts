// Join the waitlist, hear of the decision, take the request back. The answers are the same for every address.

import { randomBytes } from 'node:crypto'
import { type ApplicationState, JoinRequest } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import type { FastifyInstance } from 'fastify'
import { forgetApplicant } from '../../accounts/forget.ts'
import { findUserByEmail, normalizeEmail } from '../../accounts/users.ts'
import { apply, readApplicationStatus } from '../../accounts/waitlist.ts'
import { requireJson } from '../json-body.ts'
import { limitAttempts } from './attempts.ts'
import { readCookie } from './cookie.ts'
import { alreadyMemberMail } from './mail.ts'
import type { ConsoleParts } from './parts.ts'

const COOKIE = '__Host-sauti_application'
const COOKIE_SECONDS = 180 * 24 * 3600
const COOKIE_RULES = 'Path=/; HttpOnly; Secure; SameSite=Lax'
/** For a browser that shall know nothing of an application any more. */
export const APPLICATION_COOKIE_GONE = `${COOKIE}=; Max-Age=0; ${COOKIE_RULES}`
const HOUR_SECONDS = 3600

export function serveWaitlist(app: FastifyInstance, parts: ConsoleParts): void {
  const { clock, settings } = parts
  const attempts = limitAttempts(clock, {
    perAddress: settings.joinsPerHour,
    perName: settings.joinsPerHour,
    windowSeconds: HOUR_SECONDS,
  })
  const options = { schema: { body: JoinRequest }, onRequest: requireJson }

  app.post<{ Body: JoinRequest }>(`${CONSOLE_API}/waitlist`, options, async (request, reply) => {
    attempts.take(request, normalizeEmail(request.body.email))
    const token = randomBytes(32).toString('base64url')
    await join(parts, request.body, token)
    reply.code(202).header('set-cookie', `${COOKIE}=${token}; Max-Age=${COOKIE_SECONDS}; ${COOKIE_RULES}`)
    return { status: 'waiting' } satisfies ApplicationState
  })

  app.get(`${CONSOLE_API}/application`, async ({ headers }): Promise<ApplicationState> => {
    const token = readCookie(headers.cookie, COOKIE)
    return { status: token === undefined ? 'none' : await readApplicationStatus(parts.db, token) }
  })

  app.delete(`${CONSOLE_API}/application`, async ({ headers }, reply) => {
    const token = readCookie(headers.cookie, COOKIE)
    if (token !== undefined) await parts.db.transaction(tx => forgetApplicant(tx, token))
    return reply.code(204).header('set-cookie', APPLICATION_COOKIE_GONE).send()
  })
}

async function join(
  { db, newId, clock, mailer, publicUrl, log }: ConsoleParts,
  form: JoinRequest,
  token: string,
) {
  const outcome = await apply(db, {
    id: newId(),
    name: form.name.trim(),
    email: form.email,
    organisation: form.organisation.trim(),
    useCase: form.use.trim(),
    token,
    now: clock(),
  })
  if (outcome === 'new' || mailer === undefined) return
  const member = await findUserByEmail(db, form.email)
  if (member === undefined) return
  // Not awaited: how long the mail takes must not tell whether there is somebody to write to.
  mailer
    .send(alreadyMemberMail(member.email, `${publicUrl()}/signin`))
    .catch(error => log.warn({ err: error }, 'mail could not be sent'))
}
