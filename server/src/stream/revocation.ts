// Notices within 5 s that the key or the account of an open session was revoked: one query a poll for all sessions of the node.

import type { Logger } from 'pino'
import type { Queryable } from '../db/port.ts'
import { findSessionsToClose } from '../sessions/watch.ts'
import type { Connection } from './connection.ts'
import { type Repetition, repeat } from './repeat.ts'
import { REVOCATION_POLL_MS } from './settings.ts'

export interface RevocationParts {
  readonly db: Queryable
  readonly connections: ReadonlySet<Connection>
  readonly log: Logger
}

export function watchRevocations({ db, connections, log }: RevocationParts): Repetition {
  return repeat('watch revocations', REVOCATION_POLL_MS, () => endRevoked(db, connections), log)
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
