// The periodic work of a node: its heartbeat, and ending what nobody else ends.

import type { Queryable } from '../db/port.ts'
import {
  expireReservations,
  expireStrandedReservations,
  failOrphans,
  failSessionsOfGoneNodes,
  forgetReplays,
} from '../ledger/expire.ts'
import { repeat } from '../repeat.ts'
import type { Config } from '../settings/config.ts'
import type { Membership } from './membership.ts'
import { declareLostNodesDead, forgetGoneNodes } from './registry.ts'
import { forgetRequestCounts } from './shared-rates.ts'

export interface UpkeepParts {
  readonly db: Queryable
  readonly node: Pick<Membership, 'id' | 'beatIfDue' | 'mayJudge' | 'lostAfterMs'>
  readonly clock: () => Date
  readonly settings: Pick<Config, 'heartbeatIntervalMs' | 'reaperIntervalMs'>
  /** No other process can share the database, so there is no other node that could be lost. */
  readonly isAlone?: boolean
  /** Other nodes were declared dead. */
  readonly onDeclaredDead: (nodeIds: readonly string[]) => void
  readonly onError: (error: unknown) => void
}

export interface Upkeep {
  /** Waits for the round that is under way. */
  stop(): Promise<void>
}

/** A heartbeat that failed is tried again soon: a failover must not silence a node for longer than necessary. */
const LONGEST_RETRY_MS = 1_000
/** Cleaning up need not happen every second. */
const TIDY_INTERVAL_MS = 60_000

/** Where no other process can share the database, open sessions belong to an earlier process: they end before the first new one. */
export async function endSessionsOfEarlierRuns(db: Queryable, now: Date): Promise<void> {
  await declareLostNodesDead(db, '00000000-0000-0000-0000-000000000000', 0)
  await failSessionsOfGoneNodes(db, now)
  await failOrphans(db, now)
}

export function startUpkeep(parts: UpkeepParts): Upkeep {
  const { db, node, clock, settings, isAlone = false, onError } = parts
  // As often as a failed one is tried again; a heartbeat that arrived lately makes it a question of the clock only.
  const beatIntervalMs = Math.min(settings.heartbeatIntervalMs, LONGEST_RETRY_MS)
  const running = [
    repeat(() => node.beatIfDue(), { intervalMs: beatIntervalMs, onError }),
    repeat(() => expire(parts), { intervalMs: settings.reaperIntervalMs, onError }),
    // Alone there are only identities that this process has given up. Each statement costs the embedded database milliseconds of the CPU.
    repeat(() => endLostNodes(parts), {
      intervalMs: isAlone ? TIDY_INTERVAL_MS : settings.reaperIntervalMs,
      onError,
    }),
    repeat(() => tidy(db, clock()), { intervalMs: TIDY_INTERVAL_MS, onError }),
  ]
  return {
    async stop() {
      await Promise.all(running.map(one => one.stop()))
    },
  }
}

async function expire({ db, clock }: UpkeepParts): Promise<void> {
  await expireReservations(db, clock())
}

async function endLostNodes({ db, node, clock, onDeclaredDead }: UpkeepParts): Promise<void> {
  if (!node.mayJudge) return
  const declared = await declareLostNodesDead(db, node.id, node.lostAfterMs)
  if (declared.length > 0) onDeclaredDead(declared)
  await failSessionsOfGoneNodes(db, clock())
  await expireStrandedReservations(db, clock())
}

async function tidy(db: Queryable, now: Date): Promise<void> {
  await forgetReplays(db, now)
  await failOrphans(db, now)
  await forgetGoneNodes(db)
  await forgetRequestCounts(db)
}
