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
  /** False when the session had already ended: nothing was changed, and the first settlement stands. */
  readonly settled: boolean
}

/** One statement; locks the account's row, then the session's. Safe to repeat: a session is settled once. */
export async function settle(
  db: Queryable,
  { sessionId, ending, acceptedSamples, now }: SessionEnd,
): Promise<SettleResult> {
  const { from, to } = ENDINGS[ending]
  const settlement = assessAudio(ending, acceptedSamples)
  const [row] = await db.query<{ settled: boolean }>(
    'SELECT end_session($1, $2, $3, $4, $5, $6, $7) AS settled',
    [sessionId, from, to, ending, settlement.audioMs, settlement.billableMs, now],
  )
  return { settled: row!.settled, ...settlement }
}
