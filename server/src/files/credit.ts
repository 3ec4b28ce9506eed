// What a file costs: it takes one session of the account, reserves credit part by part as the file is read, and is settled once for what
// was heard. A client that gets no transcript pays nothing.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'
import type { ModelId } from '@sauti/protocol/models'
import type { Queryable } from '../db/port.ts'
import { extendReservation } from '../ledger/extend.ts'
import { isReservation, reserve } from '../ledger/reserve.ts'
import {
  type OrderParts,
  type OrderRate,
  refuse,
  type SessionBuyer,
  toReservationRequest,
  withoutOthers,
} from '../ledger/session-order.ts'
import type { StreamEnding } from '../sessions/lifecycle.ts'
import { redeemSession } from '../sessions/redeem.ts'

export interface CreditParts extends OrderParts {
  readonly db: Queryable
  readonly clock: () => Date
  /** Takes over the end of a session: from here on it is settled whatever happens. Resolves when it is. */
  readonly settle: (sessionId: string, ending: StreamEnding, acceptedSamples: number) => Promise<void>
}

export interface FileOrder {
  readonly buyer: SessionBuyer
  readonly model: ModelId
  readonly rate: OrderRate
}

/** As many as the database can count. */
const UNLIMITED = 2 ** 31 - 1

/** Reserved at first, and then each time that it is used up. */
const FIRST_SECONDS = 60
const FURTHER_SECONDS = 300

export class FileCredit {
  readonly sessionId: string
  readonly #parts: CreditParts
  #paidSamples: number

  private constructor(parts: CreditParts, sessionId: string, reservedMs: number) {
    this.#parts = parts
    this.sessionId = sessionId
    this.#paidSamples = reservedMs * SAMPLES_PER_MS
  }

  /** Throws what the account lacks: 402, 403, 429 or 503. */
  static async open(parts: CreditParts, { buyer, model, rate }: FileOrder): Promise<FileCredit> {
    const { db, clock, node } = parts
    const now = clock()
    const order = { model, seconds: FIRST_SECONDS, idempotencyKey: undefined }
    const here = {
      ...parts,
      node: withoutOthers(node),
      // It is heard in the time that live streams leave, and takes no slot of theirs.
      recogniser: { models: parts.recogniser.models, capacity: UNLIMITED, heldBack: 0 },
    }
    const result = await reserve(db, toReservationRequest(order, buyer, here, rate, now))
    if (!isReservation(result)) throw refuse(result, buyer, rate, now, parts)
    const { sessionId, reservedMs } = await redeemSession(db, {
      sessionId: result.sessionId,
      nodeId: node.id,
      now: clock(),
    })
    return new FileCredit(parts, sessionId, reservedMs)
  }

  /** Called with the number of samples, in all, that are about to be heard. */
  async cover(samples: number): Promise<void> {
    const { db, clock } = this.#parts
    while (samples > this.#paidSamples) {
      const request = { sessionId: this.sessionId, requestedMs: FURTHER_SECONDS * 1000, now: clock() }
      const gainedMs = await extendReservation(db, request)
      if (gainedMs === 0) {
        throw new ServiceError('insufficient_credits', {
          message: 'The file is longer than the credit of the account.',
        })
      }
      this.#paidSamples += gainedMs * SAMPLES_PER_MS
    }
  }

  settle(ending: StreamEnding, samples: number): Promise<void> {
    return this.#parts.settle(this.sessionId, ending, samples)
  }
}
