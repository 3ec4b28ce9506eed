// How often strangers may try: by address, and by the name that they try, whether it exists or not.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyRequest } from 'fastify'
import { addressGroup } from '../../client-address.ts'
import { createRateLimiter } from '../rate-limit.ts'

export interface AttemptLimit {
  /** Counts an attempt; throws too_many_attempts. Call what it gives back when the attempt was a good one. */
  take(request: FastifyRequest, name: string): () => void
}

export interface AttemptRule {
  readonly perAddress: number
  readonly perName: number
  readonly windowSeconds: number
}

/** Many people may share one network address; one name is one person. */
const ADDRESS_SHARE = 5
const QUARTER_HOUR_SECONDS = 15 * 60

/** The rule for wrong passwords. */
export function passwordRule(perName: number): AttemptRule {
  return { perAddress: perName * ADDRESS_SHARE, perName, windowSeconds: QUARTER_HOUR_SECONDS }
}

export function limitAttempts(clock: () => Date, rule: AttemptRule): AttemptLimit {
  const byAddress = createRateLimiter('attempts', rule.perAddress, rule.windowSeconds)
  const byName = createRateLimiter('attempts', rule.perName, rule.windowSeconds)
  return {
    take(request, name) {
      const now = clock()
      const address = addressGroup(request.ip)
      const states = [byAddress.take(address, now), byName.take(name, now)]
      const refused = states.filter(state => !state.allowed)
      if (refused.length > 0) {
        const retryAfterSeconds = Math.max(...refused.map(state => state.nextSeconds))
        throw new ServiceError('too_many_attempts', { retryAfterSeconds })
      }
      return () => {
        byAddress.giveBack(address, clock())
        byName.giveBack(name, clock())
      }
    },
  }
}
