// API keys of the signed-in person's own account.

import {
  type ApiKeyList,
  type ApiKeyView,
  CreateApiKeyRequest,
  type CreatedApiKey,
  RotateApiKeyRequest,
  UpdateApiKeyRequest,
} from '@sauti/protocol/console'
import { CONSOLE_API } from '@sauti/protocol/console-rules'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Actor, type AuditAction, recordAction } from '../../../accounts/audit.ts'
import { changeKeyRules, type KeyRules, rotateKey } from '../../../accounts/key-rules.ts'
import { createKeyWithinLimit, listKeys, revokeKeyOf, type StoredKey } from '../../../accounts/keys.ts'
import type { Tx } from '../../../db/port.ts'
import { isAddressOrNetwork } from '../../../network/address-list.ts'
import { requireJson } from '../../json-body.ts'
import { idParams } from '../params.ts'
import type { ConsoleParts } from '../parts.ts'
import { requireConfirmation } from '../sign-in/confirmation.ts'
import { accountOf, actorOf, requireMember } from '../sign-in/member.ts'

const PATH = `${CONSOLE_API}/keys`
const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS
const DEFAULT_OVERLAP_HOURS = 24
type ById = { Params: { id: string } }

export function serveMyKeys(app: FastifyInstance, parts: ConsoleParts): void {
  const onRequest = requireMember(parts)
  const confirmed = [onRequest, requireConfirmation(parts), requireJson]
  app.get(PATH, { onRequest }, async (request): Promise<ApiKeyList> => {
    const keys = await listKeys(parts.db, accountOf(request))
    return { data: keys.reverse().map(describeKey) }
  })

  app.post<{ Body: CreateApiKeyRequest }>(
    PATH,
    { schema: { body: CreateApiKeyRequest }, onRequest: confirmed },
    async (request, reply): Promise<CreatedApiKey> => {
      reply.code(201)
      return createNamedKey(ownerOf(parts, request), request.body)
    },
  )

  app.post<ById & { Body: RotateApiKeyRequest }>(
    `${PATH}/:id/rotate`,
    { schema: { params: idParams, body: RotateApiKeyRequest }, onRequest: confirmed },
    async (request, reply): Promise<CreatedApiKey> => {
      reply.code(201)
      return replaceKey(ownerOf(parts, request), request.params.id, request.body)
    },
  )

  app.patch<ById & { Body: UpdateApiKeyRequest }>(
    `${PATH}/:id`,
    { schema: { params: idParams, body: UpdateApiKeyRequest }, onRequest: confirmed },
    async (request): Promise<ApiKeyView> =>
      changeKey(ownerOf(parts, request), request.params.id, request.body),
  )

  app.delete<ById>(`${PATH}/:id`, { schema: { params: idParams }, onRequest }, async (request, reply) => {
    await revoke(ownerOf(parts, request), request.params.id)
    return reply.code(204).send()
  })
}

/** Whose keys a request is about, and who acts. */
interface KeyOwner extends ConsoleParts {
  readonly accountId: string
  readonly actor: Actor
}

function ownerOf(parts: ConsoleParts, request: FastifyRequest): KeyOwner {
  return { ...parts, accountId: accountOf(request), actor: actorOf(parts, request) }
}

async function createNamedKey(owner: KeyOwner, order: CreateApiKeyRequest): Promise<CreatedApiKey> {
  const { accountId, clock, newId } = owner
  const now = clock()
  const id = newId()
  const { name, models = null, expires_in_days: days } = order
  const expiresAt = days === undefined ? null : new Date(now.getTime() + days * DAY_MS)
  const key = { ...readRules(order), id, accountId, name: name.trim(), models, expiresAt, now }
  const secret = await changeKeys(owner, 'key.create', id, tx => createKeyWithinLimit(tx, key))
  return { ...(await readKey(owner, id)), api_key: secret }
}

async function replaceKey(
  owner: KeyOwner,
  keyId: string,
  { overlap_hours: hours = DEFAULT_OVERLAP_HOURS }: RotateApiKeyRequest,
): Promise<CreatedApiKey> {
  const { accountId, clock, newId } = owner
  const rotation = { accountId, keyId, newKeyId: newId(), overlapMs: hours * HOUR_MS, now: clock() }
  const secret = await changeKeys(owner, 'key.rotate', keyId, tx => rotateKey(tx, rotation))
  return { ...(await readKey(owner, rotation.newKeyId)), api_key: secret }
}

async function changeKey(owner: KeyOwner, id: string, change: UpdateApiKeyRequest): Promise<ApiKeyView> {
  const name = change.name?.trim()
  const rules = { ...readRules(change), ...(name !== undefined && { name }) }
  await changeKeys(owner, 'key.update', id, tx => changeKeyRules(tx, owner.accountId, id, rules))
  return readKey(owner, id)
}

async function revoke(owner: KeyOwner, id: string): Promise<void> {
  await changeKeys(owner, 'key.revoke', id, async tx => {
    const isRevoked = await revokeKeyOf(tx, owner.accountId, id, owner.clock())
    if (!isRevoked) throw new ServiceError('record_not_found')
  })
}

/** The change and its entry in the audit log, or neither. */
function changeKeys<T>(
  { db, clock, actor, accountId }: KeyOwner,
  action: AuditAction,
  target: string,
  change: (tx: Tx) => Promise<T>,
): Promise<T> {
  return db.transaction(async tx => {
    const result = await change(tx)
    await recordAction(tx, { actor, action, target, details: { account_id: accountId }, now: clock() })
    return result
  })
}

function readRules({
  monthly_limit_seconds: seconds,
  allowed_addresses: addresses,
}: Pick<UpdateApiKeyRequest, 'monthly_limit_seconds' | 'allowed_addresses'>): KeyRules {
  if (addresses?.some(one => !isAddressOrNetwork(one))) {
    throw new ServiceError('invalid_parameter', {
      message: 'allowed_addresses must be addresses or networks, such as 192.0.2.7 or 10.0.0.0/8.',
    })
  }
  return {
    ...(seconds !== undefined && { monthlyLimitMs: seconds === null ? null : seconds * 1000 }),
    ...(addresses !== undefined && { allowedAddresses: addresses }),
  }
}

async function readKey({ db, accountId }: KeyOwner, id: string): Promise<ApiKeyView> {
  const key = (await listKeys(db, accountId)).find(one => one.id === id)
  return describeKey(key!)
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
    last_used_from: key.uses.map(({ address, at }) => ({ address, at: new Date(at).toISOString() })),
    revoked_at: key.revokedAt?.toISOString() ?? null,
    monthly_limit_seconds: key.monthlyLimitMs === null ? null : key.monthlyLimitMs / 1000,
    allowed_addresses: key.allowedAddresses === null ? null : [...key.allowedAddresses],
    replaced_by: key.replacedBy,
  }
}
