// The end of every way to sign in: the new sign-in is described, the browser remembered, and the audit log written.

import type { Me } from '@sauti/protocol/console'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Action, type AuditAction, recordAction, visitorFrom } from '../../../accounts/audit.ts'
import { describeNewestSignIn } from '../../../accounts/sign-ins.ts'
import { dropEndedSignIns, findUser, type User } from '../../../accounts/users.ts'
import { describeMe } from '../account/describe-me.ts'
import type { SignIn } from '../auth/outcome.ts'
import type { ConsoleParts } from '../parts.ts'
import { describeBrowser } from './browser-name.ts'

/** How somebody signed in, where it was not with the password. */
type OtherWay = 'passkey' | 'organisation'

export async function welcome(
  parts: ConsoleParts,
  request: FastifyRequest,
  reply: FastifyReply,
  signIn: SignIn,
  way?: OtherWay,
): Promise<Me> {
  await dropEndedSignIns(parts.db, parts.clock())
  const user = await findUser(parts.db, signIn.userId)
  await describeNewestSignIn(parts.db, {
    userId: signIn.userId,
    address: parts.clientOf(request.raw),
    browser: describeBrowser(request.headers['user-agent']),
    now: parts.clock(),
  })
  await recordOwn(parts, request, 'sign_in.start', user!, way && { with: way })
  reply.header('set-cookie', [...signIn.cookies, parts.devices.remember(user!.email)])
  return describeMe(parts, user!)
}

/** Something that a person did to their own sign-in. */
export async function recordOwn(
  { db, clock, clientOf }: ConsoleParts,
  { raw }: FastifyRequest,
  action: AuditAction,
  { id, email }: User,
  details: Action['details'] = {},
): Promise<void> {
  const actor = { id, email, address: clientOf(raw) }
  await db.transaction(tx => recordAction(tx, { actor, action, target: email, details, now: clock() }))
}

/** `target` is the e-mail address of a known person, or null: what strangers type may be anything, even a password. */
export async function recordRefusal(
  parts: ConsoleParts,
  { raw }: FastifyRequest,
  target: string | null,
  details: Action['details'] = {},
): Promise<void> {
  const actor = visitorFrom(parts.clientOf(raw))
  await parts.db.transaction(tx =>
    recordAction(tx, { actor, action: 'sign_in.refuse', target, details, now: parts.clock() }),
  )
}
