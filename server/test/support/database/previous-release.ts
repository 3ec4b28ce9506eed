// The statements with which release 0.1.0 (commit c90a251) uses the database, word for word. Nodes of that release run beside those of
// this one while a service is upgraded, so all of these must go on working on the new schema.

import { randomBytes, randomUUID } from 'node:crypto'
import type { Queryable } from '#server/db/port.js'

export class PreviousNode {
  readonly id = randomUUID()
  readonly #db: Queryable

  constructor(db: Queryable) {
    this.#db = db
  }

  async beat(now: Date): Promise<void> {
    await this.#db.query(
      `INSERT INTO nodes (id, heartbeat_at) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
      [this.id, now],
    )
  }

  /** A key as that release stores it; its hash is not asked for here. */
  async createKey(accountId: string, now: Date): Promise<string> {
    const id = randomUUID()
    await this.#db.query(
      `INSERT INTO api_keys (id, account_id, name, hash, hint, models, expires_at, created_at)
     SELECT $1, id, $3, $4, $5, $6, $7, $8 FROM accounts WHERE id = $2 RETURNING id`,
      [id, accountId, '', randomBytes(32), 'abcd', null, null, now],
    )
    return id
  }

  async reserve(accountId: string, apiKeyId: string, now: Date, key: string | null): Promise<Reserved> {
    const [reserved] = await this.#db.query<Reserved>(
      `SELECT outcome, session_id AS "sessionId", expires_at AS "expiresAt", reserved_ms AS "reservedMs",
            remaining_ms AS "remainingMs", slot_free_at AS "slotFreeAt"
     FROM reserve_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...[randomUUID(), accountId, apiKeyId, 'svc-asr-kikuyu-v1', 10_000, this.id, 100, true],
        ...[key, key && Buffer.from('fingerprint'), now, new Date(now.getTime() + 60_000)],
      ],
    )
    return reserved!
  }

  async redeem(sessionId: string, now: Date): Promise<boolean> {
    const rows = await this.#db.query(
      `UPDATE sessions s SET status = 'active', activated_at = $3, node_id = $2
     FROM accounts a
     WHERE s.id = $1 AND s.status = 'reserved' AND s.expires_at > $3 AND a.id = s.account_id AND a.active
       AND NOT EXISTS (SELECT FROM api_keys k WHERE k.id = s.api_key_id AND k.revoked_at IS NOT NULL)
     RETURNING s.id AS "sessionId", s.account_id AS "accountId", s.model, s.reserved_ms AS "reservedMs"`,
      [sessionId, this.id, now],
    )
    return rows.length === 1
  }

  async settle(sessionId: string, billableMs: number, now: Date): Promise<boolean> {
    const [row] = await this.#db.query<{ settled: boolean }>(
      'SELECT end_session($1, $2, $3, $4, $5, $6, $7) AS settled',
      [sessionId, 'active', 'completed', 'client_closed', billableMs, billableMs, now],
    )
    return row!.settled
  }

  /** What its upkeep does every second. */
  async sweep(now: Date, deadBefore: Date): Promise<void> {
    for (const [condition, ending, from, to, time] of [
      [`s.status = 'reserved' AND s.expires_at <= $3`, 'never_opened', 'reserved', 'expired', now],
      [
        `s.status = 'active'
    AND NOT EXISTS (SELECT FROM nodes n WHERE n.id = s.node_id AND n.heartbeat_at >= $3)`,
        'node_died',
        'active',
        'failed',
        deadBefore,
      ],
    ] as const) {
      await this.#db.query(
        `
    WITH due AS MATERIALIZED (
      SELECT s.id FROM sessions s JOIN accounts a ON a.id = s.account_id
      WHERE ${condition} LIMIT 100 FOR NO KEY UPDATE OF a SKIP LOCKED
    )
    SELECT end_session(id, '${from}', '${to}', $1, 0, 0, $2) AS ended FROM due`,
        [ending, now, time],
      )
    }
    await this.#db.query('DELETE FROM idempotency_keys WHERE expires_at <= $1', [now])
    await this.#db.query(
      `DELETE FROM nodes n WHERE heartbeat_at < $1
       AND NOT EXISTS (SELECT FROM sessions s WHERE s.node_id = n.id AND s.status IN ('reserved', 'active'))`,
      [deadBefore],
    )
  }
}

export interface Reserved {
  readonly outcome: string
  readonly sessionId: string
}
