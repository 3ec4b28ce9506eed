// The audit: every balance is recomputed from the entries, and every session is compared with its entries.

import type { Queryable } from '../db/port.ts'

export interface Discrepancy {
  readonly accountId: string
  readonly sessionId: string | null
  readonly problem: string
}

export interface Audit {
  readonly accounts: number
  readonly sessions: number
  readonly entries: number
  readonly discrepancies: readonly Discrepancy[]
}

/** One statement, so all is read in one snapshot and the audit is exact while the service runs. No locks. */
const AUDIT = `
  WITH sums AS (
    SELECT account_id, sum(available_ms) AS available, sum(reserved_ms) AS reserved, sum(consumed_ms) AS consumed
    FROM ledger_entries GROUP BY account_id
  ), open_and_billed AS (
    SELECT account_id,
      sum(reserved_ms) FILTER (WHERE status IN ('reserved', 'active')) AS reserved, sum(billable_ms) AS billed
    FROM sessions GROUP BY account_id
  ), resolved AS (
    SELECT s.id, s.account_id, s.status IN ('reserved', 'active') AS open, s.reserved_ms, s.billable_ms,
      count(*) FILTER (WHERE e.kind = 'reserve') AS reservations,
      coalesce(sum(e.reserved_ms) FILTER (WHERE e.kind IN ('reserve', 'extend')), 0) AS set_aside,
      count(*) FILTER (WHERE e.kind IN ('settle', 'release')) AS resolutions,
      count(*) FILTER (WHERE e.reserved_ms = -s.reserved_ms AND e.consumed_ms = s.billable_ms) AS right_resolutions,
      count(*) FILTER (WHERE e.account_id <> s.account_id) AS foreign_entries
    FROM sessions s LEFT JOIN ledger_entries e ON e.session_id = s.id GROUP BY s.id
  ), problems AS (
    SELECT a.id AS account_id, NULL::uuid AS session_id, 'the balance differs from the sum of the entries' AS problem
    FROM accounts a LEFT JOIN sums ON sums.account_id = a.id
    WHERE (a.available_ms, a.reserved_ms, a.consumed_ms)
      IS DISTINCT FROM (coalesce(available, 0), coalesce(sums.reserved, 0), coalesce(consumed, 0))
    UNION ALL
    SELECT id, NULL, 'available + reserved + consumed differs from granted' FROM accounts
    WHERE available_ms + reserved_ms + consumed_ms <> granted_ms OR least(available_ms, reserved_ms, consumed_ms) < 0
    UNION ALL
    SELECT a.id, NULL, 'reserved differs from the reservations of open sessions'
    FROM accounts a LEFT JOIN open_and_billed s ON s.account_id = a.id WHERE a.reserved_ms <> coalesce(s.reserved, 0)
    UNION ALL
    SELECT a.id, NULL, 'consumed differs from what sessions were billed'
    FROM accounts a LEFT JOIN open_and_billed s ON s.account_id = a.id WHERE a.consumed_ms <> coalesce(s.billed, 0)
    UNION ALL
    SELECT account_id, id, 'the session does not have exactly one reserve entry, with extensions to its amount' FROM resolved
    WHERE reservations <> 1 OR set_aside <> reserved_ms
    UNION ALL
    SELECT account_id, id, 'the session is open and already resolved' FROM resolved WHERE open AND resolutions <> 0
    UNION ALL
    SELECT account_id, id, 'the session has ended and is not resolved once by its amounts' FROM resolved
    WHERE NOT open AND (resolutions <> 1 OR right_resolutions <> 1)
    UNION ALL
    SELECT account_id, id, 'an entry of the session belongs to another account' FROM resolved WHERE foreign_entries > 0
  )
  SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM sessions) AS sessions,
    (SELECT count(*) FROM ledger_entries) AS entries, p.account_id AS "accountId", p.session_id AS "sessionId", p.problem
  FROM (VALUES (1)) one LEFT JOIN problems p ON true`

type AuditRow = Omit<Audit, 'discrepancies'> & { [K in keyof Discrepancy]: Discrepancy[K] | null }

export async function verifyLedger(db: Queryable): Promise<Audit> {
  const rows = await db.query<AuditRow>(AUDIT)
  const { accounts, sessions, entries } = rows[0]!
  return { accounts, sessions, entries, discrepancies: rows.flatMap(toDiscrepancy) }
}

function toDiscrepancy({ accountId, sessionId, problem }: AuditRow): Discrepancy[] {
  return accountId === null || problem === null ? [] : [{ accountId, sessionId, problem }]
}
