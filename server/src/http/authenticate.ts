// Who calls: the bearer key (spec 5), looked up on every request so that revoking holds from the next one on.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyRequest } from 'fastify'
import { isApiKey } from '../accounts/api-key.ts'
import { findKeyHolder, type KeyHolder, noteKeyUse } from '../accounts/keys.ts'
import { countHeader } from './json-body.ts'
import type { HttpParts } from './parts.ts'

const BEARER = /^bearer +(\S+) *$/i

/** Kept beside the request rather than on it, so that no serializer can ever meet it. */
const holders = new WeakMap<FastifyRequest, KeyHolder>()

/** The caller of a route that runs `authenticate` first. */
export function callerOf(request: FastifyRequest): KeyHolder {
  const holder = holders.get(request)
  if (!holder) throw new Error('the route does not authenticate')
  return holder
}

/** Makes the hook of routes that need a key: 401 for the key, then 403 for the account. */
export function authenticateWith({ db, clock }: Pick<HttpParts, 'db' | 'clock'>) {
  return async function authenticate(request: FastifyRequest): Promise<void> {
    const now = clock()
    const holder = await findKeyHolder(db, readBearerKey(request))
    if (!holder) throw new ServiceError('invalid_api_key')
    if (holder.revokedAt) throw new ServiceError('revoked_api_key')
    if (holder.expiresAt && holder.expiresAt <= now) throw new ServiceError('expired_api_key')
    if (!holder.accountActive) throw new ServiceError('account_inactive')
    await noteKeyUse(db, holder, now)
    holders.set(request, holder)
  }
}

/** A string that cannot be a key is refused by its checksum, without a query. */
function readBearerKey(request: FastifyRequest): string {
  if (countHeader(request, 'authorization') > 1) {
    throw new ServiceError('invalid_api_key', { message: 'Send the Authorization header once.' })
  }
  const key = BEARER.exec(request.headers.authorization ?? '')?.[1]
  if (key === undefined) throw new ServiceError('missing_api_key')
  if (!isApiKey(key)) throw new ServiceError('invalid_api_key')
  return key
}
