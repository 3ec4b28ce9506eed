// People ask the operators for more credit; an operator grants or dismisses the request.

import type { Queryable, Tx } from '../db/port.ts'

export interface NewCreditRequest {
  readonly id: string
  readonly accountId: string
  readonly userId: string
  readonly note: string
  readonly now: Date
}

export interface CreditRequest {
  readonly id: string
  readonly accountId: string
  readonly accountName: string
  readonly userName: string
  readonly email: string
  readonly note: string
  readonly availableMs: number
  readonly createdAt: Date
}

/** False when the account is waiting for an answer already. */
export async function requestCredit(db: Queryable, request: NewCreditRequest): Promise<boolean> {
  const rows = await db.query(
    `INSERT INTO credit_requests (id, account_id, user_id, note, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id) WHERE status = 'waiting' DO NOTHING RETURNING id`,
    [request.id, request.accountId, request.userId, request.note, request.now],
  )
  return rows.length === 1
}

export async function isWaitingForCredit(db: Queryable, accountId: string): Promise<boolean> {
  const rows = await db.query("SELECT id FROM credit_requests WHERE account_id = $1 AND status = 'waiting'", [
    accountId,
  ])
  return rows.length > 0
}

/** Oldest first. */
export function listCreditRequests(db: Queryable, limit: number): Promise<CreditRequest[]> {
  return db.query<CreditRequest>(
    `SELECT r.id, r.account_id AS "accountId", a.name AS "accountName", u.name AS "userName", u.email, r.note,
            a.available_ms AS "availableMs", r.created_at AS "createdAt"
     FROM credit_requests r JOIN accounts a ON a.id = r.account_id JOIN users u ON u.id = r.user_id
     WHERE r.status = 'waiting' ORDER BY r.created_at, r.id LIMIT $1`,
    [limit],
  )
}

/** Undefined when it was decided already; locks the request until the transaction ends. */
export async function decideCreditRequest(
  tx: Tx,
  id: string,
  status: 'granted' | 'dismissed',
  now: Date,
): Promise<{ readonly accountId: string; readonly email: string } | undefined> {
  const [decided] = await tx.query<{ accountId: string; email: string }>(
    `UPDATE credit_requests r SET status = $2, decided_at = $3 FROM users u
     WHERE r.id = $1 AND r.status = 'waiting' AND u.id = r.user_id RETURNING r.account_id AS "accountId", u.email`,
    [id, status, now],
  )
  return decided
}

/** What waits for an operator, for the badge. */
export async function countWaiting(db: Queryable): Promise<{ applications: number; creditRequests: number }> {
  const [counts] = await db.query<{ applications: number; creditRequests: number }>(
    `SELECT (SELECT count(*) FROM applications WHERE status = 'waiting')::integer AS applications,
            (SELECT count(*) FROM credit_requests WHERE status = 'waiting')::integer AS "creditRequests"`,
  )
  return counts!
}
