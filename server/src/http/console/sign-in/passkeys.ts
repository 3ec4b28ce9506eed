// Passkeys: added, listed, renamed and removed by the person, and used to sign in instead of a password.

import {
  AddPasskeyRequest,
  type Me,
  type PasskeyList,
  type PasskeyView,
  RenamePasskeyRequest,
  SignInWithPasskeyRequest,
} from '@sauti/protocol/console'
import { CONSOLE_API, PASSKEY_LIMIT } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AuditAction, recordAction } from '../../../accounts/audit.ts'
import {
  findPasskeyOwner,
  listPasskeys,
  notePasskeyUse,
  removePasskey,
  renamePasskey,
  type StoredPasskey,
} from '../../../accounts/passkeys.ts'
import { requireJson } from '../../json-body.ts'
import { allowsPasskeys } from '../auth/own-addresses.ts'
import type { Challenge } from '../auth/passkeys.ts'
import { idParams } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { AttemptLimit, challengeRule, passwordRule } from './attempts.ts'
import { requireConfirmation } from './confirmation.ts'
import { actorOf, memberOf, requireMember } from './member.ts'
import { recordRefusal, welcome } from './welcome.ts'

const PATH = `${CONSOLE_API}/passkeys`
const SIGN_IN_PATH = `${CONSOLE_API}/sign-in/passkey`
type ById = { Params: { id: string } }

export function servePasskeys(app: FastifyInstance, parts: ConsoleParts): void {
  serveSignInWithPasskey(app, parts)
  serveAdding(app, parts)
  serveOwnPasskeys(app, parts)
}

function serveSignInWithPasskey(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock, auth } = parts
  const rule = passwordRule(parts.settings.signInFailures)
  const attempts = new AttemptLimit(parts, rule)
  const challenges = new AttemptLimit(parts, challengeRule(rule))

  app.post(`${SIGN_IN_PATH}/begin`, { onRequest: requireJson }, async (request, reply) => {
    requireSupport(parts, request)
    challenges.take(request, 'a challenge')
    return sendChallenge(reply, await auth.passkeys.beginSignIn())
  })

  const options = { schema: { body: SignInWithPasskeyRequest }, onRequest: requireJson }
  app.post<{ Body: SignInWithPasskeyRequest }>(SIGN_IN_PATH, options, async (request, reply): Promise<Me> => {
    const { response } = request.body
    const undoAttempt = attempts.take(request, response.id)
    const signIn = await auth.passkeys.signIn(cookieOf(request), response)
    if (!signIn) {
      await recordRefusal(parts, request, (await findPasskeyOwner(db, response.id)) ?? null, {
        with: 'passkey',
      })
      throw new ServiceError('passkey_refused')
    }
    undoAttempt()
    await notePasskeyUse(db, response.id, clock())
    return welcome(parts, request, reply, signIn, 'passkey')
  })
}

function serveAdding(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, auth } = parts
  const confirmed = [requireMember(parts), requireConfirmation(parts), requireJson]

  app.post(`${PATH}/begin`, { onRequest: confirmed }, async (request, reply) => {
    requireSupport(parts, request)
    const { length } = await listPasskeys(db, memberOf(request).id)
    if (length >= PASSKEY_LIMIT) throw new ServiceError('passkey_limit_reached')
    return sendChallenge(reply, await auth.passkeys.beginAdding(cookieOf(request)))
  })

  app.post<{ Body: AddPasskeyRequest }>(
    PATH,
    { schema: { body: AddPasskeyRequest }, onRequest: confirmed },
    async (request, reply): Promise<PasskeyView> => {
      const { name, response } = request.body
      const id = await auth.passkeys.finishAdding(cookieOf(request), name.trim(), response)
      if (id === undefined) throw new ServiceError('passkey_not_added')
      await record(parts, request, 'passkey.add')
      const passkeys = await listPasskeys(db, memberOf(request).id)
      reply.code(201)
      return describePasskey(passkeys.find(passkey => passkey.id === id)!)
    },
  )
}

function serveOwnPasskeys(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = requireMember(parts)

  app.get(PATH, { onRequest }, async (request): Promise<PasskeyList> => {
    const passkeys = await listPasskeys(db, memberOf(request).id)
    return { data: passkeys.map(describePasskey) }
  })

  app.patch<ById & { Body: RenamePasskeyRequest }>(
    `${PATH}/:id`,
    { schema: { params: idParams, body: RenamePasskeyRequest }, onRequest: [onRequest, requireJson] },
    async (request): Promise<PasskeyView> => {
      const { params, body } = request
      const renamed = await renamePasskey(db, memberOf(request).id, params.id, body.name.trim())
      if (!renamed) throw new ServiceError('record_not_found')
      return describePasskey(renamed)
    },
  )

  app.delete<ById>(
    `${PATH}/:id`,
    { schema: { params: idParams }, onRequest: [onRequest, requireConfirmation(parts)] },
    async (request, reply) => {
      const actor = actorOf(parts, request)
      await db.transaction(async tx => {
        if (!(await removePasskey(tx, memberOf(request).id, request.params.id)))
          throw new ServiceError('record_not_found')
        await recordAction(tx, { actor, action: 'passkey.remove', target: actor.email, now: clock() })
      })
      return reply.code(204).send()
    },
  )
}

/** Throws passkeys_unavailable: also for a page that was opened at another address, where the browser would refuse later. */
function requireSupport({ publicUrl }: ConsoleParts, { headers }: FastifyRequest): void {
  if (!allowsPasskeys(publicUrl()) || headers.origin !== publicUrl())
    throw new ServiceError('passkeys_unavailable')
}

function cookieOf({ headers }: FastifyRequest): string {
  return headers.cookie ?? ''
}

function sendChallenge(reply: FastifyReply, { options, cookies }: Challenge): object {
  reply.header('set-cookie', [...cookies])
  return options
}

async function record(parts: ConsoleParts, request: FastifyRequest, action: AuditAction): Promise<void> {
  const actor = actorOf(parts, request)
  await parts.db.transaction(tx =>
    recordAction(tx, { actor, action, target: actor.email, now: parts.clock() }),
  )
}

function describePasskey({ id, name, createdAt, lastUsedAt }: StoredPasskey): PasskeyView {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}
