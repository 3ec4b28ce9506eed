// Notices that the key or the account of an open session was revoked: at once when the database says so, else within 5 s. One query
// for all sessions of the node.

import type { Logger } from 'pino'
import type { Database, Queryable } from '../db/port.ts'
import { type Repetition, repeat } from '../repeat.ts'
import { findSessionsToClose } from '../sessions/watch.ts'
import type { Connection } from './connection/connection.ts'
import { REVOCATION_POLL_MS } from './settings.ts'

/** Of the triggers in migration 0021. */
const REVOKED_CHANNEL = 'sauti_revoked'

export interface RevocationParts {
  readonly db: Queryable & Pick<Database, 'listen'>
  readonly connections: ReadonlySet<Connection>
  readonly log: Logger
}

export function watchRevocations({ db, connections, log }: RevocationParts): Repetition {
  const look = () => endRevoked(db, connections)
  const warn = (error: unknown) =>
    log.warn({ err: error }, 'watching for revocations failed and will be tried again')
  // Notified at once where the database can notify. Polling finds what was missed while the connection was down, and expired keys.
  const listener = db.listen?.(REVOKED_CHANNEL, () => void look().catch(warn))
  const polling = repeat(look, {
    intervalMs: REVOCATION_POLL_MS,
    onError: (error, failuresBefore) => failuresBefore > 0 || warn(error),
  })
  return {
    async stop() {
      await polling.stop()
      await listener?.close()
    },
  }
}

async function endRevoked(db: Queryable, connections: ReadonlySet<Connection>): Promise<void> {
  const open = [...connections].map(({ sessionId }) => sessionId).filter(sessionId => sessionId !== undefined)
  const toClose = await findSessionsToClose(db, open)
  // Almost always none, so the connections are looked through again instead of being indexed for every poll.
  if (toClose.length === 0) return
  const endings = new Map(toClose.map(({ sessionId, ending }) => [sessionId, ending]))
  for (const connection of connections) {
    const ending = endings.get(connection.sessionId ?? '')
    if (ending) connection.end(ending)
  }
}
