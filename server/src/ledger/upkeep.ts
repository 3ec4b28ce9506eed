// The clockwork of a node: it tells the others that it lives, and ends what nobody else ends.

import { setTimeout as wait } from 'node:timers/promises'
import type { Queryable } from '../db/port.ts'
import { beat } from '../sessions/watch.ts'
import { expireReservations, failSessionsOfDeadNodes, forgetExpired } from './expire.ts'

const INTERVAL_MS = 1_000
/** A node that was silent for this long is dead: many missed beats, so that a slow database is not mistaken for it. */
export const NODE_SILENCE_MS = 30_000

export interface UpkeepParts {
  readonly db: Queryable
  readonly nodeId: string
  readonly clock: () => Date
  readonly onError: (error: unknown) => void
  /** True when no other process can share the database: whatever node is not this one is then dead at once. */
  readonly isOnlyNode: boolean
}

export interface Upkeep {
  /** Waits for the round that is under way. */
  stop(): Promise<void>
}

/** The first beat is done when this resolves, so sessions may be created. */
export async function startUpkeep(parts: UpkeepParts): Promise<Upkeep> {
  const { db, nodeId, clock, isOnlyNode } = parts
  const startedAt = clock()
  await beat(db, nodeId, startedAt)
  if (isOnlyNode) await failSessionsOfDeadNodes(db, startedAt, startedAt)
  const stopping = new AbortController()
  const running = repeat(parts, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function repeat(parts: UpkeepParts, signal: AbortSignal): Promise<void> {
  while (await pause(signal)) {
    try {
      await runUpkeep(parts)
    } catch (error) {
      parts.onError(error)
    }
  }
}

/** False when it was cut short by the signal. */
async function pause(signal: AbortSignal): Promise<boolean> {
  try {
    await wait(INTERVAL_MS, undefined, { signal })
    return true
  } catch {
    return false
  }
}

async function runUpkeep({ db, nodeId, clock }: UpkeepParts): Promise<void> {
  const now = clock()
  const deadBefore = new Date(now.getTime() - NODE_SILENCE_MS)
  await beat(db, nodeId, now)
  await expireReservations(db, now)
  await failSessionsOfDeadNodes(db, deadBefore, now)
  await forgetExpired(db, deadBefore, now)
}
