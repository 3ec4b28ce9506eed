// Between step 2 and step 3: a credential opens its session, once.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '@sauti/protocol/errors'
import type { SessionStatus } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import { isDatabaseOutage } from '../db/outage.ts'
import type { Queryable } from '../db/port.ts'
import { type Opening, type Redemption, takeBack } from './take-back.ts'

export interface OpenSession {
  readonly sessionId: string
  readonly accountId: string
  readonly model: ModelId
  readonly reservedMs: number
}

/** The client waits so long for a database that restarts or changes over; its credential may be good for one attempt only. */
const OUTAGE_PATIENCE_MS = 5_000
const RETRY_MS = 100

/**
 * Moves the session from reserved to active in one statement, so of any number of attempts one succeeds.
 * Throws invalid_credential, expired_credential, credential_already_used, account_inactive or key_revoked. Where the database does not
 * answer for a while, nobody knows whether it is open: it is taken back as soon as the database answers again.
 */
export async function redeemSession(db: Queryable, redemption: Redemption): Promise<OpenSession> {
  const opened = await openPatiently(db, { ...redemption, openingId: randomUUID() })
  return opened ?? (await refuseRedemption(db, redemption))
}

async function openPatiently(db: Queryable, opening: Opening): Promise<OpenSession | undefined> {
  const giveUpAtMs = performance.now() + OUTAGE_PATIENCE_MS
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      const opened = await open(db, opening)
      // The statement before may have opened it, and its account may have been closed since.
      if (!opened && isRepeated) void takeBack(db, opening)
      return opened
    } catch (error) {
      if (!isDatabaseOutage(error) || performance.now() >= giveUpAtMs) {
        void takeBack(db, opening)
        throw error
      }
      await wait(RETRY_MS)
    }
  }
}

/** The session is open for this attempt, also where it already was and the answer was lost. */
async function open(
  db: Queryable,
  { sessionId, nodeId, openingId, now }: Opening,
): Promise<OpenSession | undefined> {
  // Locks only the session's row. The account and key are read, not locked: revoking a moment later closes the stream.
  const [opened] = await db.query<OpenSession>(
    `UPDATE sessions s SET status = 'active', activated_at = $3, node_id = $2, opening_id = $4
     FROM accounts a
     WHERE s.id = $1 AND (s.status = 'reserved' AND s.expires_at > $3 OR s.status = 'active' AND s.opening_id = $4)
       AND a.id = s.account_id AND a.active
       AND NOT EXISTS (SELECT FROM api_keys k WHERE k.id = s.api_key_id AND (k.revoked_at IS NOT NULL OR k.expires_at <= $3))
       AND EXISTS (SELECT FROM nodes n WHERE n.id = $2 AND n.state <> 'gone')
     RETURNING s.id AS "sessionId", s.account_id AS "accountId", s.model, s.reserved_ms AS "reservedMs"`,
    [sessionId, nodeId, now, openingId],
  )
  return opened
}

interface Refused {
  readonly status: SessionStatus
  readonly active: boolean
  readonly revoked: boolean
  readonly fenced: boolean
}

async function refuseRedemption(db: Queryable, { sessionId, nodeId, now }: Redemption): Promise<never> {
  const [session] = await db.query<Refused>(
    `SELECT s.status, a.active, k.revoked_at IS NOT NULL OR k.expires_at <= $3 AS revoked,
       NOT EXISTS (SELECT FROM nodes n WHERE n.id = $2 AND n.state <> 'gone') AS fenced
     FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN api_keys k ON k.id = s.api_key_id
     WHERE s.id = $1`,
    [sessionId, nodeId, now],
  )
  if (!session) throw new ServiceError('invalid_credential')
  if (session.status === 'expired') throw new ServiceError('expired_credential')
  if (session.status !== 'reserved') throw new ServiceError('credential_already_used')
  if (!session.active) throw new ServiceError('account_inactive')
  if (session.revoked) throw new ServiceError('key_revoked')
  if (session.fenced) throw new Error('the other nodes declared this one dead: it opens no sessions')
  throw new ServiceError('expired_credential')
}
