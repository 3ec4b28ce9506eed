// API keys of the signed-in person's own account.

import {
  type ApiKeyList,
  type ApiKeyView,
  CreateApiKeyRequest,
  type CreatedApiKey,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import { createKey, listKeys, revokeKeyOf, type StoredKey } from '../../accounts/keys.ts'
import { requireJson } from '../json-body.ts'
import { accountOf, requireMember } from './member.ts'
import { idParams } from './params.ts'
import type { ConsoleParts } from './parts.ts'

const DAY_MS = 24 * 3600 * 1000
/** So that a loop that creates keys ends in a clear error instead of a full table. */
const MAX_USABLE_KEYS = 50

export function serveMyKeys(app: FastifyInstance, parts: ConsoleParts): void {
  const { db, clock } = parts
  const onRequest = requireMember(parts)
  app.get(`${CONSOLE_API}/keys`, { onRequest }, async (request): Promise<ApiKeyList> => {
    const keys = await listKeys(db, accountOf(request))
    return { data: keys.reverse().map(describeKey) }
  })

  app.post<{ Body: CreateApiKeyRequest }>(
    `${CONSOLE_API}/keys`,
    { schema: { body: CreateApiKeyRequest }, onRequest: [onRequest, requireJson] },
    async (request, reply): Promise<CreatedApiKey> => {
      reply.code(201)
      return createNamedKey(parts, accountOf(request), request.body)
    },
  )

  app.delete<{ Params: { id: string } }>(
    `${CONSOLE_API}/keys/:id`,
    { schema: { params: idParams }, onRequest },
    async (request, reply) => {
      const revoked = await revokeKeyOf(db, accountOf(request), request.params.id, clock())
      if (!revoked) throw new ServiceError('record_not_found')
      return reply.code(204).send()
    },
  )
}

async function createNamedKey(
  { db, clock, newId }: ConsoleParts,
  accountId: string,
  order: CreateApiKeyRequest,
): Promise<CreatedApiKey> {
  const now = clock()
  const usable = (await listKeys(db, accountId)).filter(
    key => key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now),
  )
  if (usable.length >= MAX_USABLE_KEYS) {
    throw new ServiceError('invalid_parameter', {
      message: `An account may have ${MAX_USABLE_KEYS} keys at once. Revoke some first.`,
    })
  }
  const id = newId()
  const apiKey = await createKey(db, {
    id,
    accountId,
    name: order.name.trim(),
    models: order.models ?? null,
    expiresAt:
      order.expires_in_days === undefined ? null : new Date(now.getTime() + order.expires_in_days * DAY_MS),
    now,
  })
  const created = (await listKeys(db, accountId)).find(key => key.id === id)
  return { ...describeKey(created!), api_key: apiKey! }
}

export function describeKey(key: StoredKey): ApiKeyView {
  return {
    id: key.id,
    name: key.name,
    prefix: key.hint,
    models: key.models === null ? null : [...key.models],
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
