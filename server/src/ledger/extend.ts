// Between RESERVE and SETTLE: more credit is set aside for a session that is open, for streams that pay as they go.

import type { Queryable } from '../db/port.ts'

export interface ExtensionRequest {
  readonly sessionId: string
  readonly requestedMs: number
  readonly now: Date
}

/** The milliseconds gained: 0 when the account or the key has less than a second, is not active, or the session has ended. */
export async function extendReservation(
  db: Queryable,
  { sessionId, requestedMs, now }: ExtensionRequest,
): Promise<number> {
  const [row] = await db.query<{ gainedMs: number }>(
    `SELECT extend_session(
       p_session_id => $1,
       p_requested_ms => least($2, key_room_ms((SELECT api_key_id FROM sessions WHERE id = $1), $3)),
       p_now => $3
     ) AS "gainedMs"`,
    [sessionId, requestedMs, now],
  )
  return row!.gainedMs
}
