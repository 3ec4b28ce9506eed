// A session whose opening was asked for and not answered: the connection to the database broke off. It may be open, and nobody uses it. It
// would hold its credit and the place of its account for as long as the node lives, so it is failed, unbilled.

import { setTimeout as wait } from 'node:timers/promises'
import type { Queryable } from '../db/port.ts'
import { ENDINGS } from './lifecycle.ts'

/** The node opens the session at this moment. */
export interface Redemption {
  readonly sessionId: string
  readonly nodeId: string
  readonly now: Date
}

/** One attempt. Two with one credential can come to one node in the same millisecond, so each has an id of its own. */
export interface Opening extends Redemption {
  readonly openingId: string
}

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000
/** A database that is away for longer has made the other nodes, or the next start, end what this node had open. */
const GIVE_UP_AFTER_MS = 10 * 60_000

/** Never rejects. */
export async function takeBack(db: Queryable, opening: Opening): Promise<void> {
  let [delayMs, waitedMs] = [FIRST_RETRY_MS, 0]
  while (waitedMs < GIVE_UP_AFTER_MS) {
    await wait(delayMs, undefined, { ref: false })
    waitedMs += delayMs
    if (await isTakenBack(db, opening).catch(() => false)) return
    delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)
  }
}

/**
 * False where the session is still reserved: the statement that opens it may be under way, or else it expires. Somebody who opened it with
 * the same credential in another attempt keeps it.
 */
async function isTakenBack(db: Queryable, { sessionId, openingId, now }: Opening): Promise<boolean> {
  const { from, to } = ENDINGS.internal_error
  const [session] = await db.query<{ status: string }>(
    `SELECT status, CASE WHEN status = $4 AND opening_id = $2
       THEN end_session(id, $4, $5, 'internal_error', 0, 0, $3) END
     FROM sessions WHERE id = $1`,
    [sessionId, openingId, now, from, to],
  )
  return session?.status !== 'reserved'
}
