// The people of an account: who they are, invite one, take one off. Owners decide; members use.

import { type Invitation, InviteMemberRequest, type TeamList } from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Actor, recordAction } from '../../../accounts/audit.ts'
import { forgetPerson } from '../../../accounts/forget.ts'
import { listTeam, type NewMember, removeIdleInvitation } from '../../../accounts/team.ts'
import { findAccountRole, lockMembers, unlinkAccount } from '../../../accounts/users.ts'
import type { Tx } from '../../../db/port.ts'
import { requireJson } from '../../json-body.ts'
import { idParams } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { AttemptLimit } from '../sign-in/attempts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { accountOf, actorOf, memberOf, requireMember } from '../sign-in/member.ts'
import { inviteMember } from './invite-member.ts'

const PATH = `${CONSOLE_API}/team`

/** Each invitation is an email to a stranger with words of the owner's choice. */
const MOST_INVITATIONS = 20
const INVITATIONS = {
  perAddress: Number.MAX_SAFE_INTEGER,
  perName: MOST_INVITATIONS,
  perNameAndAddress: MOST_INVITATIONS,
  windowSeconds: 3600,
}

export function serveTeam(app: FastifyInstance, parts: ConsoleParts): void {
  const { db } = parts
  const onRequest = requireMember(parts)
  const invitations = new AttemptLimit(parts, INVITATIONS)
  app.get(PATH, { onRequest }, async (request): Promise<TeamList> => {
    const [team, ownRole] = await Promise.all([
      listTeam(db, accountOf(request)),
      findAccountRole(db, memberOf(request).id),
    ])
    const data = team.map(({ hasJoined, ...entry }) => ({
      ...entry,
      is_me: entry.id === memberOf(request).id,
      has_joined: hasJoined,
    }))
    return { data, can_manage: ownRole === 'owner' }
  })

  app.post<{ Body: InviteMemberRequest }>(
    PATH,
    {
      schema: { body: InviteMemberRequest },
      onRequest: [onRequest, requireConfirmation(parts), requireJson],
    },
    async (request, reply): Promise<Invitation> => {
      await requireOwner(parts, request)
      invitations.take(request, accountOf(request))
      reply.code(201)
      return inviteMember(parts, readNewMember(parts, request), actorOf(parts, request))
    },
  )

  app.delete<{ Params: { id: string } }>(
    `${PATH}/:id`,
    { schema: { params: idParams }, onRequest },
    async (request, reply) => {
      await requireOwner(parts, request)
      await removeMember(parts, accountOf(request), request.params.id, actorOf(parts, request))
      return reply.code(204).send()
    },
  )
}

function readNewMember(
  { newId, clock }: ConsoleParts,
  request: FastifyRequest<{ Body: InviteMemberRequest }>,
): NewMember {
  const { name, email, role: accountRole } = request.body
  return {
    id: newId(),
    name: name.trim(),
    email,
    role: 'developer',
    operatorRole: 'owner',
    accountId: accountOf(request),
    accountRole,
    now: clock(),
  }
}

async function requireOwner({ db }: ConsoleParts, request: FastifyRequest): Promise<void> {
  if ((await findAccountRole(db, memberOf(request).id)) !== 'owner') throw new ServiceError('owner_only')
}

/**
 * Whoever is taken off loses the sign-in; an operator keeps it and stays an operator. Nobody takes off themselves. Who may do it is looked
 * up again under the account's lock: of two owners who remove each other at the same moment one must stay, or the account would close.
 */
async function removeMember(
  { db, clock }: ConsoleParts,
  accountId: string,
  userId: string,
  actor: Actor,
): Promise<void> {
  const now = clock()
  await db.transaction(async tx => {
    const members = await lockMembers(tx, accountId)
    const isOwner = members.some(({ id, accountRole }) => id === actor.id && accountRole === 'owner')
    if (!isOwner) throw new ServiceError('owner_only')
    if (userId === actor.id) throw new ServiceError('record_not_found')
    const found = members.find(({ id }) => id === userId)
    if (found === undefined) await mustRemoveInvitation(tx, accountId, userId)
    else if (found.role === 'operator') await unlinkAccount(tx, userId, now)
    else await forgetPerson(tx, userId, now)
    await recordAction(tx, { actor, action: 'member.remove', target: accountId, now })
  })
}

async function mustRemoveInvitation(tx: Tx, accountId: string, id: string): Promise<void> {
  if (!(await removeIdleInvitation(tx, accountId, id))) throw new ServiceError('record_not_found')
}
