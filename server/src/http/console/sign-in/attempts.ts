// How often strangers may try: by network address, by the name that they try, whether it exists or not, and by both together.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyRequest } from 'fastify'
import { type RateState, RequestRate } from '../../../network/request-rate.ts'
import type { HttpParts } from '../../parts.ts'

export interface AttemptRule {
  /** Many people may share one network address. */
  readonly perAddress: number
  /** For one name from anywhere: high enough that strangers cannot easily lock its owner out. */
  readonly perName: number
  /** For one name from one address. */
  readonly perNameAndAddress: number
  readonly windowSeconds: number
}

const QUARTER_HOUR_SECONDS = 15 * 60
const ADDRESS_SHARE = 5
const NAME_SHARE = 10
const CHALLENGE_SHARE = 5

/** The rule for wrong passwords. */
export function passwordRule(failures: number): AttemptRule {
  return {
    perAddress: failures * ADDRESS_SHARE,
    perName: failures * NAME_SHARE,
    perNameAndAddress: failures,
    windowSeconds: QUARTER_HOUR_SECONDS,
  }
}

/** The rule for what is asked for before an attempt, where nobody is named: whoever cancels in their browser tries again. */
export function challengeRule({ perAddress, windowSeconds }: AttemptRule): AttemptRule {
  const most = perAddress * CHALLENGE_SHARE
  return { perAddress: most, perName: Number.MAX_SAFE_INTEGER, perNameAndAddress: most, windowSeconds }
}

/** One count, and what this attempt is called in it. */
interface Count {
  readonly rate: RequestRate
  readonly client: string
}

export class AttemptLimit {
  readonly #parts: Pick<HttpParts, 'clock' | 'clientOf'>
  readonly #byAddress: RequestRate
  readonly #byName: RequestRate
  readonly #byBoth: RequestRate
  readonly #byDevice: RequestRate

  constructor(parts: Pick<HttpParts, 'clock' | 'clientOf'>, rule: AttemptRule) {
    const { windowSeconds } = rule
    this.#parts = parts
    this.#byAddress = new RequestRate({ most: rule.perAddress, windowSeconds })
    this.#byName = new RequestRate({ most: rule.perName, windowSeconds })
    this.#byBoth = new RequestRate({ most: rule.perNameAndAddress, windowSeconds })
    this.#byDevice = new RequestRate({ most: rule.perNameAndAddress, windowSeconds })
  }

  /**
   * Counts an attempt; throws too_many_attempts. Call the function that it returns when the attempt succeeded. A known device of the
   * name has a count of its own, which nobody else can use up.
   */
  take({ raw }: FastifyRequest, name: string, device?: string): () => void {
    const counts = this.#countsOf(this.#parts.clientOf(raw), name, device)
    const now = this.#parts.clock()
    const refused = counts.map(({ rate, client }) => rate.peek(client, now)).filter(isRefused)
    // An attempt that one count refuses is counted by none.
    if (refused.length > 0) throw tooMany(refused)
    for (const { rate, client } of counts) rate.take(client, now)
    return () => {
      for (const { rate, client } of counts) rate.giveBack(client, this.#parts.clock())
    }
  }

  #countsOf(address: string, name: string, device: string | undefined): readonly Count[] {
    if (device !== undefined) return [{ rate: this.#byDevice, client: device }]
    return [
      { rate: this.#byAddress, client: address },
      { rate: this.#byName, client: name },
      { rate: this.#byBoth, client: `${address} ${name}` },
    ]
  }
}

function isRefused({ allowed }: RateState): boolean {
  return !allowed
}

function tooMany(refused: readonly RateState[]): ServiceError {
  const retryAfterSeconds = Math.max(...refused.map(state => state.nextSeconds))
  return new ServiceError('too_many_attempts', { retryAfterSeconds })
}
