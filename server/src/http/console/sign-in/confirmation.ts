// Asks for the password again before actions for which an open browser must not be enough: keys, credit, links, operators.

import { ConfirmRequest } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { confirmSignIn, isConfirmedSince } from '../../../accounts/sign-ins.ts'
import { hasPassword } from '../../../accounts/users.ts'
import { requireJson } from '../../json-body.ts'
import type { ConsoleParts } from '../parts.ts'
import type { AttemptLimit } from './attempts.ts'
import { memberOf, requireMember, signInOf } from './member.ts'

/** How long one confirmation holds; signing in is one. */
const HOLDS_MS = 15 * 60 * 1000

/** A hook for after requireMember or requireOperator. Throws confirmation_required, or fresh_sign_in_required where there is no password. */
export function requireConfirmation({ db, clock }: Pick<ConsoleParts, 'db' | 'clock'>) {
  return async function checkConfirmation(request: FastifyRequest): Promise<void> {
    const since = new Date(clock().getTime() - HOLDS_MS)
    if (await isConfirmedSince(db, signInOf(request), since)) return
    const isAskable = await hasPassword(db, memberOf(request).id)
    throw new ServiceError(isAskable ? 'confirmation_required' : 'fresh_sign_in_required')
  }
}

export function serveConfirmation(app: FastifyInstance, parts: ConsoleParts, attempts: AttemptLimit): void {
  const options = { schema: { body: ConfirmRequest }, onRequest: [requireMember(parts), requireJson] }
  app.post<{ Body: ConfirmRequest }>(`${CONSOLE_API}/confirm`, options, async (request, reply) => {
    const { id } = memberOf(request)
    const undoAttempt = attempts.take(request, id)
    if (!(await parts.auth.checkPassword(id, request.body.password))) throw new ServiceError('wrong_password')
    undoAttempt()
    await confirmSignIn(parts.db, signInOf(request), parts.clock())
    return reply.code(204).send()
  })
}
