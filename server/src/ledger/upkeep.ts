// The clockwork of a node: it tells the others that it lives, and ends what nobody else ends.

import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Queryable } from '../db/port.ts'
import { beat } from '../sessions/watch.ts'
import { expireReservations, failSessionsOfDeadNodes, forgetExpired } from './expire.ts'

export interface UpkeepParts {
  readonly db: Queryable
  readonly nodeId: string
  readonly clock: () => Date
  readonly settings: Pick<Config, 'heartbeatIntervalMs' | 'nodeLostAfterMs' | 'reaperIntervalMs'>
  /** True when no other process can share the database: whatever node is not this one is then dead at once. */
  readonly isOnlyNode: boolean
  readonly onError: (error: unknown) => void
}

export interface Upkeep {
  /** Waits for the round that is under way. */
  stop(): Promise<void>
}

/** The first sign of life is written when this resolves, so sessions may be created. */
export async function startUpkeep(parts: UpkeepParts): Promise<Upkeep> {
  const { db, nodeId, clock, settings, isOnlyNode, onError } = parts
  const startedAt = clock()
  await beat(db, nodeId, startedAt)
  if (isOnlyNode) await failSessionsOfDeadNodes(db, startedAt, startedAt)

  // After an outage of the database every node looks dead until its next beat. Whoever missed a beat itself judges nobody
  // before the others had the time to beat again.
  let lastMissedAt = new Date(0)
  const beatOrNote = async () => {
    try {
      await beat(db, nodeId, clock())
    } catch (error) {
      lastMissedAt = clock()
      throw error
    }
  }

  const stopping = new AbortController()
  const loop = { signal: stopping.signal, onError }
  const beating = repeat(settings.heartbeatIntervalMs, loop, beatOrNote)
  const sweeping = repeat(settings.reaperIntervalMs, loop, () =>
    sweep(db, clock(), settings.nodeLostAfterMs, lastMissedAt),
  )
  return {
    async stop() {
      stopping.abort()
      await Promise.all([beating, sweeping])
    },
  }
}

async function sweep(db: Queryable, now: Date, nodeLostAfterMs: number, lastMissedAt: Date): Promise<void> {
  const deadBefore = new Date(now.getTime() - nodeLostAfterMs)
  await expireReservations(db, now)
  if (lastMissedAt > deadBefore) return
  await failSessionsOfDeadNodes(db, deadBefore, now)
  await forgetExpired(db, deadBefore, now)
}

interface Loop {
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

async function repeat(
  intervalMs: number,
  { signal, onError }: Loop,
  work: () => Promise<void>,
): Promise<void> {
  while (await pause(intervalMs, signal)) {
    try {
      await work()
    } catch (error) {
      onError(error)
    }
  }
}

/** False when it was cut short by the signal. */
async function pause(intervalMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await wait(intervalMs, undefined, { signal })
    return true
  } catch {
    return false
  }
}
