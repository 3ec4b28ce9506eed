// Who may stream on a wire that authenticates with API keys: the key, then the rate of the account, then its credit. Everything that is
// refused here is refused before there is a WebSocket.

import type { IncomingMessage } from 'node:http'
import { httpAnswer, ServiceError } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import { authenticateKey } from '../../accounts/authenticate-key.ts'
import type { KeyHolder } from '../../accounts/keys.ts'
import { type AddressReader, addressGroup, createAddressReader } from '../../network/client-address.ts'
import { RequestRate } from '../../network/request-rate.ts'
import type { SharedRates } from '../../nodes/shared-rates.ts'
import type { Credit } from '../dialect.ts'
import { type MeteredCreditParts, openMeteredSession } from '../metered-credit.ts'
import type { StreamSettings } from '../settings.ts'
import { FailureLimit } from './failure-limit.ts'

export interface KeyAdmissionParts extends MeteredCreditParts {
  readonly settings: StreamSettings
  readonly monotonicMs: () => number
  /** Where several nodes serve the same accounts. */
  readonly sharedRates?: SharedRates
}

const UNAUTHENTICATED = 401

export class KeyAdmission {
  readonly #parts: KeyAdmissionParts
  readonly #failures: FailureLimit
  readonly #orders: RequestRate
  readonly #addressOf: AddressReader

  /** `wire` names what is counted, over all nodes. */
  constructor(wire: string, parts: KeyAdmissionParts) {
    this.#parts = parts
    this.#failures = new FailureLimit(parts.monotonicMs)
    this.#addressOf = createAddressReader(parts.settings.trustedProxies)
    this.#orders = new RequestRate({ most: parts.settings.sessionCreationsPerMinute })
    parts.sharedRates?.share(`streams of ${wire}`, this.#orders)
  }

  /**
   * Failures of an address are counted, so that guessing keys is slow; a good key passes whatever came from its address. Throws 401, 403 or
   * 429.
   */
  async authenticate(request: IncomingMessage, key: string | undefined): Promise<KeyHolder> {
    const address = this.#addressOf(request)
    try {
      if (key === undefined) throw new ServiceError('missing_api_key')
      return await authenticateKey(this.#parts.db, key, this.#parts.clock(), address)
    } catch (error) {
      if (isUnauthenticated(error)) this.#countFailure(addressGroup(address))
      throw error
    }
  }

  /** Reserves the first minute. Throws 402, 403, 429 or 503. */
  order(holder: KeyHolder, model: ModelId): Promise<Credit> {
    const rate = this.#orders.take(holder.accountId, this.#parts.clock())
    return openMeteredSession(this.#parts, { holder, model, rate })
  }

  #countFailure(client: string): void {
    this.#failures.check(client)
    this.#failures.note(client)
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof ServiceError && httpAnswer(error.code).status === UNAUTHENTICATED
}
