// For monitoring: /healthz says that the process is alive, /readyz whether it can take a session now.

import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/port.ts'
import type { HttpParts } from '../parts.ts'

/** For a load balancer, a database that does not answer within this time is unavailable. */
const DATABASE_PATIENCE_MS = 2_000

export function serveHealth(app: FastifyInstance, { db, recogniser, isDraining }: HttpParts): void {
  app.get('/healthz', () => ({ status: 'alive' }))
  app.get('/readyz', async () => {
    if (isDraining()) throw new ServiceError('server_draining')
    if (recogniser.capacity === 0) throw new ServiceError('engine_unavailable')
    await reachDatabase(db)
    return { status: 'ready', models: recogniser.models }
  })
}

async function reachDatabase(db: Database): Promise<void> {
  const patience = new AbortController()
  const timeout = wait(DATABASE_PATIENCE_MS, undefined, { signal: patience.signal }).then(() => {
    throw new ServiceError('service_unavailable')
  })
  try {
    await Promise.race([db.query('SELECT 1'), timeout])
  } finally {
    timeout.catch(() => undefined)
    patience.abort()
  }
}
