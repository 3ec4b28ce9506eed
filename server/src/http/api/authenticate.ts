// Who calls: the bearer key (spec 5), looked up on every request so that revoking holds from the next one on.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyRequest } from 'fastify'
import { authenticateKey } from '../../accounts/authenticate-key.ts'
import type { KeyHolder } from '../../accounts/keys.ts'
import { type RateState, RequestRate } from '../../network/request-rate.ts'
import { countHeader } from '../json-body.ts'
import type { HttpParts } from '../parts.ts'

const MAX_INVALID_KEYS_PER_MINUTE = 30
const BEARER = /^bearer +(\S+) *$/i

export type Authenticate = (request: FastifyRequest) => Promise<void>

/** Kept beside the request rather than on it, so that no serializer can ever print it. */
const holders = new WeakMap<FastifyRequest, KeyHolder>()

/** The caller of a route that runs `authenticate` first. */
export function callerOf(request: FastifyRequest): KeyHolder {
  const holder = holders.get(request)
  if (!holder) throw new Error('the route does not authenticate')
  return holder
}

/** Makes the hook of routes that need a key: 401 for the key, then 403 for the account. One for all of them. */
export function authenticateWith({ db, clock, clientOf, addressOf }: HttpParts): Authenticate {
  const failures = new RequestRate({ most: MAX_INVALID_KEYS_PER_MINUTE })
  return async function authenticate(request) {
    const now = clock()
    try {
      holders.set(request, await authenticateKey(db, readBearerKey(request), now, addressOf(request.raw)))
    } catch (error) {
      const isInvalid = error instanceof ServiceError && error.code === 'invalid_api_key'
      throw isInvalid ? limitRefusal(error, failures.take(clientOf(request.raw), now)) : error
    }
  }
}

/** Invalid keys are counted by address. A good key from the same address is never refused for them. */
function limitRefusal(refusal: ServiceError, { allowed, nextSeconds }: RateState): ServiceError {
  if (allowed) return refusal
  return new ServiceError('request_rate_exceeded', { retryAfterSeconds: nextSeconds })
}

function readBearerKey(request: FastifyRequest): string {
  if (countHeader(request, 'authorization') > 1) {
    throw new ServiceError('invalid_api_key', { message: 'Send the Authorization header once.' })
  }
  const key = BEARER.exec(request.headers.authorization ?? '')?.[1]
  if (key === undefined) throw new ServiceError('missing_api_key')
  return key
}
