// Who is signed in, for every route that needs it. Looked up on every request: signing out, a changed role and a
// deactivated account hold from the next one on.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findUser, type User } from '../../accounts/users.ts'
import type { ConsoleParts } from './parts.ts'

/** Kept beside the request rather than on it, so that no serializer can ever meet it. */
const members = new WeakMap<FastifyRequest, User>()

/** The member of a route that runs `requireMember` or `requireOperator` first. */
export function memberOf(request: FastifyRequest): User {
  const member = members.get(request)
  if (!member) throw new Error('the route does not ask who is signed in')
  return member
}

/** The account whose data a route is about: always the member's own. */
export function accountOf(request: FastifyRequest): string {
  const { accountId } = memberOf(request)
  if (accountId === null) throw new ServiceError('no_account')
  return accountId
}

export function requireMember({ auth, db }: Pick<ConsoleParts, 'auth' | 'db'>) {
  return async function findMember(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const signIn = await auth.recognise(request.headers.cookie ?? '')
    const user = signIn && (await findUser(db, signIn.userId))
    if (!user) throw new ServiceError('sign_in_required')
    if (signIn.cookies.length > 0) reply.header('set-cookie', [...signIn.cookies])
    members.set(request, user)
  }
}

export function requireOperator(parts: Pick<ConsoleParts, 'auth' | 'db'>) {
  const findMember = requireMember(parts)
  return async function findOperator(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await findMember(request, reply)
    if (memberOf(request).role !== 'operator') throw new ServiceError('operator_only')
  }
}
