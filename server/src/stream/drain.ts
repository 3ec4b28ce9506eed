// How streams end when the process must: they run on up to a deadline, then hear their last words and the reason.

import { setTimeout as wait } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { DRAIN_FLUSH_MS } from './settings.ts'

/** Resolves when no connection runs any more; `allEnded` resolves when the last one has ended. */
export async function drain(
  connections: ReadonlySet<Connection>,
  allEnded: () => Promise<void>,
  deadlineMs: number,
): Promise<void> {
  if (await endsWithin(allEnded(), deadlineMs)) return
  for (const connection of connections) connection.end('server_restarting')
  if (await endsWithin(allEnded(), DRAIN_FLUSH_MS)) return
  for (const connection of connections) connection.cut()
  await allEnded()
}

export async function endsWithin(ended: Promise<void>, ms: number): Promise<boolean> {
  const patience = new AbortController()
  const timeout = wait(ms, false, { signal: patience.signal }).catch(() => false)
  const inTime = await Promise.race([ended.then(() => true), timeout])
  patience.abort()
  return inTime
}
