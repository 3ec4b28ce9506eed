// Rates of accounts, over all nodes. Each node counts its own requests in memory and is exact about them; once per second it tells the
// others and learns what they have counted. So an account may exceed its rate by what reaches several nodes within that second, and a
// request costs no statement.

import type { Queryable } from '../db/port.ts'
import type { OthersCount, RequestRate } from '../network/request-rate.ts'
import { type Repetition, repeat } from '../repeat.ts'

const TELL_INTERVAL_MS = 1_000
/** What a node reported longer ago does not count: the node is gone, or has nothing to report. */
const FORGET = `interval '5 s'`
/** The most accounts that one node reports; those with the latest requests come first. */
const MAX_TOLD = 5_000

interface Told {
  readonly rate: string
  readonly accountId: string
  readonly requests: number
  readonly nextFreeAt: Date
}

export interface SharedRatesParts {
  readonly db: Queryable
  /** Of this node, as it is now. */
  readonly nodeId: () => string
  readonly clock: () => Date
  readonly onError: (error: unknown, failuresBefore: number) => void
}

export class SharedRates {
  readonly #parts: SharedRatesParts
  readonly #rates = new Map<string, RequestRate>()
  #others = new Map<string, OthersCount>()

  constructor(parts: SharedRatesParts) {
    this.#parts = parts
  }

  /** From here on requests that other nodes counted under this name count here, too. Clients of the rate must be account ids. */
  share(name: string, rate: RequestRate): void {
    this.#rates.set(name, rate)
    rate.countOthers(accountId => this.#others.get(`${name} ${accountId}`))
  }

  start(): Repetition {
    return repeat(() => this.exchange(), { intervalMs: TELL_INTERVAL_MS, onError: this.#parts.onError })
  }

  /** One statement, and none while nobody asks this node for anything. */
  async exchange(): Promise<void> {
    const own = this.#ownCounts()
    this.#others = own.length === 0 ? new Map() : toMap(await this.#tellAndLearn(own))
  }

  #ownCounts(): Told[] {
    const now = this.#parts.clock()
    const told = [...this.#rates].flatMap(([rate, counted]) =>
      counted.recentClients(now, MAX_TOLD).map(({ client, count, nextFreeMs }) => ({
        rate,
        accountId: client,
        requests: count,
        nextFreeAt: new Date(nextFreeMs),
      })),
    )
    return told.slice(0, MAX_TOLD)
  }

  #tellAndLearn(own: readonly Told[]): Promise<Told[]> {
    return this.#parts.db.query<Told>(
      `WITH own AS (
         SELECT * FROM unnest($2::text[], $3::uuid[], $4::integer[], $5::timestamptz[]) AS own (rate, account_id, requests, next_free_at)
       ), told AS (
         INSERT INTO request_counts (node_id, rate, account_id, requests, next_free_at, told_at)
         SELECT $1, rate, account_id, requests, next_free_at, clock_timestamp() FROM own
         ON CONFLICT ON CONSTRAINT request_counts_pkey DO UPDATE SET
           requests = excluded.requests, next_free_at = excluded.next_free_at, told_at = excluded.told_at
       )
       SELECT c.rate, c.account_id AS "accountId", sum(c.requests) AS requests, min(c.next_free_at) AS "nextFreeAt"
       FROM own JOIN request_counts c ON c.account_id = own.account_id AND c.rate = own.rate
       WHERE c.node_id <> $1 AND c.told_at > clock_timestamp() - ${FORGET} GROUP BY c.rate, c.account_id`,
      [
        this.#parts.nodeId(),
        own.map(({ rate }) => rate),
        own.map(({ accountId }) => accountId),
        own.map(({ requests }) => requests),
        own.map(({ nextFreeAt }) => nextFreeAt),
      ],
    )
  }
}

function toMap(told: readonly Told[]): Map<string, OthersCount> {
  return new Map(
    told.map(({ rate, accountId, requests, nextFreeAt }) => [
      `${rate} ${accountId}`,
      { count: requests, nextFreeMs: nextFreeAt.getTime() },
    ]),
  )
}

/** Drops what no node reports any more. */
export async function forgetRequestCounts(db: Queryable): Promise<void> {
  await db.query(`DELETE FROM request_counts WHERE told_at < clock_timestamp() - interval '10 minutes'`)
}
