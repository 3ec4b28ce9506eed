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
  const bySession = new Map<string, Connection>()
  for (const connection of connections) {
    if (connection.sessionId) bySession.set(connection.sessionId, connection)
  }
  for (const { sessionId, ending } of await findSessionsToClose(db, [...bySession.keys()])) {
    bySession.get(sessionId)?.end(ending)
  }
}
