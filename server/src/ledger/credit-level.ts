// Which accounts run out of credit: found and marked in one statement, so that of several nodes exactly one sends the notice.

import { LOW_CREDIT_MOST_MS, LOW_CREDIT_PART } from '@sauti/protocol/console-rules'
import type { Queryable } from '../db/port.ts'

export interface CreditChange {
  readonly accountId: string
  readonly level: 'low' | 'empty'
  readonly availableMs: number
}

/** Credit that open sessions hold may be returned, so it counts as available. */
const LEVEL = `CASE
  WHEN available_ms + reserved_ms < 1000 THEN 'empty'
  WHEN available_ms + reserved_ms < least(granted_ms * ${LOW_CREDIT_PART}, ${LOW_CREDIT_MOST_MS}) THEN 'low'
END`

/** Accounts whose credit fell to a lower level since the last check. Clears the notice of those that have enough again. */
export async function takeCreditChanges(db: Queryable): Promise<CreditChange[]> {
  const changed = await db.query<CreditChange & { level: CreditChange['level'] | null }>(
    `UPDATE accounts SET credit_notice = ${LEVEL}
     WHERE active AND granted_ms > 0 AND credit_notice IS DISTINCT FROM ${LEVEL}
     RETURNING id AS "accountId", credit_notice AS level, available_ms AS "availableMs"`,
  )
  return changed.filter(change => change.level !== null)
}
