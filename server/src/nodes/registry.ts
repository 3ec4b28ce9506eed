// The registry of nodes: one row for each process of the service, kept alive by its heartbeat. All times are the database's, so that
// nodes whose clocks differ judge each other alike. `gone` is final: it is what fences a node that was only slow.

import type { ModelId } from '@sauti/protocol/models'
import type { Queryable } from '../db/port.ts'

export type RegisteredState = 'ready' | 'draining' | 'gone'

/** What a node says of itself with every heartbeat. */
export interface Vitals {
  readonly models: readonly ModelId[]
  readonly capacity: number
  readonly openStreams: number
  readonly endedLastMinute: number
}

export interface NewNode {
  readonly id: string
  readonly version: string
  /** Where clients reach its streams. */
  readonly url: string
  readonly state: Exclude<RegisteredState, 'gone'>
}

/** The database's time when it took the heartbeat. */
export interface Heartbeat {
  readonly at: Date
}

export async function registerNode(db: Queryable, node: NewNode, vitals: Vitals): Promise<Heartbeat> {
  const [row] = await db.query<Heartbeat>(
    `INSERT INTO nodes (id, version, url, state, models, capacity, open_streams, ended_last_minute, started_at, heartbeat_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp(), clock_timestamp()) RETURNING heartbeat_at AS at`,
    [node.id, node.version, node.url, node.state, ...vitalParams(vitals)],
  )
  return row!
}

/** Undefined when the others have declared this node dead: it is fenced, and its sessions are no longer its own. */
export async function beat(db: Queryable, id: string, vitals: Vitals): Promise<Heartbeat | undefined> {
  const [row] = await db.query<Heartbeat>(
    `UPDATE nodes SET heartbeat_at = clock_timestamp(), models = $2, capacity = $3, open_streams = $4, ended_last_minute = $5
     WHERE id = $1 AND state <> 'gone' RETURNING heartbeat_at AS at`,
    [id, ...vitalParams(vitals)],
  )
  return row
}

function vitalParams({ models, capacity, openStreams, endedLastMinute }: Vitals): unknown[] {
  return [models, capacity, openStreams, endedLastMinute]
}

/** From here on no session is placed on it. Waits for placements that are under way. */
export async function markDraining(db: Queryable, id: string): Promise<void> {
  await db.query(`UPDATE nodes SET state = 'draining' WHERE id = $1 AND state = 'ready'`, [id])
}

export async function markGone(db: Queryable, id: string): Promise<void> {
  await db.query(`UPDATE nodes SET state = 'gone' WHERE id = $1`, [id])
}

/** Declares every other node dead that sent no heartbeat for this long. Returns their ids. */
export async function declareLostNodesDead(
  db: Queryable,
  selfId: string,
  lostAfterMs: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `UPDATE nodes SET state = 'gone'
     WHERE state <> 'gone' AND id <> $1 AND heartbeat_at < clock_timestamp() - $2 * interval '1 ms' RETURNING id`,
    [selfId, lostAfterMs],
  )
  return rows.map(({ id }) => id)
}

/** How long a node that is gone is still shown to operators. */
const SHOW_GONE = `interval '1 hour'`

export async function forgetGoneNodes(db: Queryable): Promise<void> {
  await db.query(
    `DELETE FROM nodes n WHERE state = 'gone' AND heartbeat_at < clock_timestamp() - ${SHOW_GONE}
       AND NOT EXISTS (SELECT FROM sessions s WHERE s.node_id = n.id AND s.status IN ('reserved', 'active'))`,
  )
}

export interface ListedNode extends Vitals {
  readonly id: string
  readonly version: string
  readonly url: string | null
  readonly state: RegisteredState
  /** Reserved and active sessions that hold a slot on it. */
  readonly sessions: number
  readonly startedAt: Date
  readonly heartbeatAt: Date
  readonly silentMs: number
}

/** Living nodes first, each kind in the order of their start. */
export function listNodes(db: Queryable): Promise<ListedNode[]> {
  return db.query<ListedNode>(
    `SELECT id, version, url, state, models, capacity, open_streams AS "openStreams", ended_last_minute AS "endedLastMinute",
            -room_of_node(id, 0, clock_timestamp()) AS sessions, started_at AS "startedAt", heartbeat_at AS "heartbeatAt",
            greatest(0, extract(epoch FROM clock_timestamp() - heartbeat_at) * 1000)::bigint AS "silentMs"
     FROM nodes ORDER BY state = 'gone', started_at, id`,
  )
}

/** Reservations that clients may still open at this node. */
export async function countReservations(db: Queryable, id: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*) FROM sessions WHERE node_id = $1 AND status = 'reserved' AND expires_at > clock_timestamp()`,
    [id],
  )
  return row!.count
}
