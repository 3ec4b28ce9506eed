// Who is signed in, for every route that needs it. Looked up on every request: signing out, a changed role and a
// deactivated account hold from the next one on.

import type { OperatorRole } from '@sauti/protocol/console'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../../accounts/audit.ts'
import { findUser, type User } from '../../../accounts/users.ts'
import type { ConsoleParts } from '../parts.ts'

/** Kept beside the request rather than on it, so that no serializer can ever print it. */
const members = new WeakMap<FastifyRequest, { readonly user: User; readonly signInId: string }>()

/** The member of a route that runs `requireMember` or `requireOperator` first. */
export function memberOf(request: FastifyRequest): User {
  return visitOf(request).user
}

/** The sign-in that the request came with. */
export function signInOf(request: FastifyRequest): string {
  return visitOf(request).signInId
}

function visitOf(request: FastifyRequest) {
  const visit = members.get(request)
  if (!visit) throw new Error('the route does not ask who is signed in')
  return visit
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
    members.set(request, { user, signInId: signIn.signInId })
  }
}

/** Who did it and from where, for the audit log. */
export function actorOf({ clientOf }: Pick<ConsoleParts, 'clientOf'>, request: FastifyRequest): Actor {
  const { id, email } = memberOf(request)
  return { id, email, address: clientOf(request.raw) }
}

/** What an operator's route needs: to look, to grant credit, or to change anything else. */
export type Permission = 'read' | 'grant' | 'manage'

const PERMISSIONS: Readonly<Record<OperatorRole, readonly Permission[]>> = {
  owner: ['read', 'grant', 'manage'],
  support: ['read', 'grant'],
  auditor: ['read'],
}

export function requireOperator(parts: Pick<ConsoleParts, 'auth' | 'db'>, permission: Permission) {
  const findMember = requireMember(parts)
  return async function findOperator(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await findMember(request, reply)
    const { role, operatorRole } = memberOf(request)
    if (role !== 'operator') throw new ServiceError('operator_only')
    if (!PERMISSIONS[operatorRole].includes(permission)) throw new ServiceError('role_not_allowed')
  }
}
