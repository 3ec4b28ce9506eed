// Waits for something, but not forever.

import { setTimeout as wait } from 'node:timers/promises'

/** Whether it ended in time. */
export async function endsWithin(ended: Promise<void>, ms: number): Promise<boolean> {
  const patience = new AbortController()
  const timeout = wait(ms, false, { signal: patience.signal }).catch(() => false)
  const inTime = await Promise.race([ended.then(() => true), timeout])
  patience.abort()
  return inTime
}
