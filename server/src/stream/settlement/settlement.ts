// Step 7 from the stream's side: an ended session is settled, at once if the database is there, otherwise again and again until the
// database takes it, across restarts too.

import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Queryable } from '../../db/port.ts'
import { settle } from '../../ledger/settle.ts'
import type { EndedSession, Journal } from './journal.ts'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000

export interface Settlements {
  /** Takes over the end of a session; resolves when the database has taken it, or it is not tried any more. */
  add(ended: EndedSession): Promise<void>
  readonly pending: number
  /** Resolves when nothing is pending. */
  finished(): Promise<void>
  /** Stops retrying; what is pending stays in the journal for the next start. */
  close(): Promise<void>
}

/** Begins with what an earlier process left in the journal. */
export function startSettlements(db: Queryable, journal: Journal, log: Logger): Settlements {
  const running = new Set<Promise<void>>()
  const stopped = new AbortController()

  function run(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  function settleInTime(ended: EndedSession): Promise<void> {
    const landed = settleUntilDone(db, log, ended, stopped.signal)
    const removeSettled = (isSettled: boolean) =>
      isSettled ? logWriteFailure(journal.remove(ended.sessionId), log) : undefined
    run(landed.then(removeSettled))
    return landed.then(() => undefined)
  }

  for (const ended of journal.unsettled) void settleInTime(ended)

  return {
    add(ended) {
      // Both at once: the slot is free as soon as the database says so, and a crash in between is covered by the disk.
      run(logWriteFailure(journal.add(ended), log))
      return settleInTime(ended)
    },
    get pending() {
      return journal.unsettled.length
    },
    async finished() {
      while (running.size > 0) await Promise.all(running)
    },
    async close() {
      stopped.abort()
      await Promise.all(running)
      await journal.close()
    },
  }
}

/** False when it was stopped before the database took it. */
async function settleUntilDone(
  db: Queryable,
  log: Logger,
  ended: EndedSession,
  stopped: AbortSignal,
): Promise<boolean> {
  for (let delayMs = FIRST_RETRY_MS; !stopped.aborted; delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)) {
    if (await trySettle(db, log, ended)) return true
    await wait(delayMs, undefined, { signal: stopped }).catch(() => undefined)
  }
  return false
}

async function trySettle(
  db: Queryable,
  log: Logger,
  { sessionId, ending, acceptedSamples, endedAt }: EndedSession,
): Promise<boolean> {
  try {
    const { settled } = await settle(db, { sessionId, ending, acceptedSamples, now: endedAt })
    if (!settled) log.warn({ sessionId, ending }, 'session had already ended')
    return true
  } catch (error) {
    log.warn({ err: error, sessionId }, 'settlement failed, will be tried again')
    return false
  }
}

/** A disk that fails makes a settlement less safe, but it still has to be done. */
async function logWriteFailure(written: Promise<void>, log: Logger): Promise<void> {
  try {
    await written
  } catch (error) {
    log.error({ err: error }, 'the settlement journal could not be written')
  }
}
