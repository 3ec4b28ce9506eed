// One account with a node of its own, as a rule of the ledger needs it, and what the books say of it.

import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Database } from '#server/db/port.js'
import type { Refusal, Reservation, ReservationRequest } from '#server/ledger/reserve.js'
import { settle } from '#server/ledger/settle.js'
import { verifyLedger } from '#server/ledger/verify.js'
import type { StreamEnding } from '#server/sessions/lifecycle.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { createHolder, type Holder, mustReserve, tryReserve } from '../database/ledger.ts'
import { registerTestNode, type TestNode } from '../database/nodes.ts'

/** A rule has the name of what must hold; it throws where it does not. */
export type Rule = readonly [name: string, check: (db: Database) => Promise<void>]

export const NOW = new Date('2030-05-15T12:00:00Z')
export const SECOND = 16_000
export const at = (ms: number): Date => new Date(NOW.getTime() + ms)

export class Books {
  readonly db: Database
  readonly holder: Holder
  readonly node: TestNode

  private constructor(db: Database, holder: Holder, node: TestNode) {
    this.db = db
    this.holder = holder
    this.node = node
  }

  /** Other nodes are gone, so that sessions can only be placed on this one. */
  static async open(
    db: Database,
    creditMs: number,
    { limit = 10, capacity = 100 }: { limit?: number; capacity?: number } = {},
  ): Promise<Books> {
    await db.query(`UPDATE nodes SET state = 'gone'`)
    const node = await registerTestNode(db, { capacity, url: 'https://one.test' })
    return new Books(db, await createHolder(db, NOW, creditMs, limit), node)
  }

  reserve(order: Partial<ReservationRequest> = {}, now = NOW): Promise<Reservation> {
    return mustReserve(this.db, this.holder, now, { node: this.node, ...order })
  }

  async refusal(order: Partial<ReservationRequest> = {}, now = NOW): Promise<Refusal> {
    return (await tryReserve(this.db, this.holder, now, { node: this.node, ...order })) as Refusal
  }

  async openSession(requestedMs: number): Promise<string> {
    const { sessionId } = await this.reserve({ requestedMs })
    await redeemSession(this.db, { sessionId, nodeId: this.node.id, now: NOW })
    return sessionId
  }

  async end(sessionId: string, samples: number, ending: StreamEnding = 'client_closed'): Promise<boolean> {
    const end = { sessionId, ending, acceptedSamples: samples, now: at(5_000) }
    return (await settle(this.db, end)).settled
  }

  /** Granted, available, reserved and consumed milliseconds. */
  async balance(): Promise<readonly number[]> {
    const [row] = await this.db.query<Record<string, number>>(
      'SELECT granted_ms, available_ms, reserved_ms, consumed_ms FROM accounts WHERE id = $1',
      [this.holder.accountId],
    )
    return Object.values(row!)
  }

  /** Kind, available, reserved and consumed of every entry of the session, in their order. */
  async entries(sessionId: string): Promise<readonly (readonly unknown[])[]> {
    const rows = await this.db.query(
      `SELECT kind, available_ms, reserved_ms, consumed_ms FROM ledger_entries
       WHERE session_id = $1 AND account_id = $2 ORDER BY id`,
      [sessionId, this.holder.accountId],
    )
    return rows.map(row => Object.values(row))
  }

  async session(sessionId: string): Promise<object> {
    const [row] = await this.db.query<object>(
      `SELECT status, ending, reserved_ms, audio_ms, billable_ms, completed_at FROM sessions WHERE id = $1`,
      [sessionId],
    )
    return row!
  }

  /** Other accounts are not asked: a broken ledger function may have left them wrong. */
  async agree(): Promise<void> {
    const { discrepancies } = await verifyLedger(this.db)
    expect(discrepancies.filter(({ accountId }) => accountId === this.holder.accountId)).toEqual([])
  }
}

export const anIdempotencyKey = (letter: string) => ({ key: randomUUID(), fingerprint: Buffer.from(letter) })
