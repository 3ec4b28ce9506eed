// Step 7, SETTLE: an open session ends, its accepted audio is billed and the rest of the reservation returns.

import type { Queryable } from '../db/port.ts'
import { assessAudio, ENDINGS, type Settlement, type StreamEnding } from '../sessions/lifecycle.ts'

export interface SessionEnd {
  readonly sessionId: string
  readonly ending: StreamEnding
  readonly acceptedSamples: number
  readonly now: Date
}

export interface SettleResult extends Settlement {
  /** False when the session had already ended, or its node was declared dead and may not settle it any more: then nothing is billed. */
  readonly settled: boolean
}

/** One statement; locks the account's row, then the session's. Safe to repeat: a session is settled once. */
export async function settle(
  db: Queryable,
  { sessionId, ending, acceptedSamples, now }: SessionEnd,
): Promise<SettleResult> {
  const { to } = ENDINGS[ending]
  const settlement = assessAudio(ending, acceptedSamples)
  const [row] = await db.query<{ settled: boolean }>(
    'SELECT settle_session($1, $2, $3, $4, $5, $6) AS settled',
    [sessionId, to, ending, settlement.audioMs, settlement.billableMs, now],
  )
  return { settled: row!.settled, ...settlement }
}
