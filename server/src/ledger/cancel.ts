// A reservation that its owner gives back before it is opened: the credit and the slot are free at once.

import { ServiceError } from '@sauti/protocol/errors'
import type { Tx } from '../db/port.ts'
import { ENDINGS } from '../sessions/lifecycle.ts'
import type { RecentSession } from './usage.ts'

export interface Cancellation {
  readonly sessionId: string
  /** Whose session it must be. */
  readonly accountId: string
  readonly now: Date
}

/**
 * Safe to repeat: a session that was never opened is answered the same way again. Its idempotency key is free again, so that the
 * next request with it makes a new reservation. Throws session_not_found and session_already_opened.
 */
export async function cancelSession(
  tx: Tx,
  { sessionId, accountId, now }: Cancellation,
): Promise<RecentSession> {
  const { from, to } = ENDINGS.cancelled
  // Locks the account's row, then the session's, as everybody does. A credential redeemed at the same moment wins or loses here.
  await tx.query(
    `SELECT end_session(id, $3, $4, 'cancelled', 0, 0, $5) FROM sessions WHERE id = $1 AND account_id = $2`,
    [sessionId, accountId, from, to, now],
  )
  const [session] = await tx.query<RecentSession>(
    `SELECT id, model, status, audio_ms AS "audioMs", billable_ms AS "billableMs", created_at AS "createdAt",
            completed_at AS "completedAt"
     FROM sessions WHERE id = $1 AND account_id = $2`,
    [sessionId, accountId],
  )
  if (!session) throw new ServiceError('session_not_found')
  if (session.status !== to) throw new ServiceError('session_already_opened')
  await tx.query('DELETE FROM idempotency_keys WHERE account_id = $1 AND session_id = $2', [
    accountId,
    sessionId,
  ])
  return session
}
