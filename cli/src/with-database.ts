// The operator's commands work on the database of the service: through the running service's engine, or alone.

import { readCommandConfig } from '@sauti/server/config.js'
import { migrate } from '@sauti/server/db/migrate.js'
import { openDatabase } from '@sauti/server/db/open.js'
import { isDatabaseOutage } from '@sauti/server/db/outage.js'
import type { Database } from '@sauti/server/db/port.js'
import { Failure } from './command.ts'

export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const config = readCommandConfig()
  const lost = (error: Error) => console.error(`the database was lost: ${error.message}`)
  try {
    const db = await openDatabase(config, { as: 'command', onConnectionLost: lost, onEngineLost: lost })
    try {
      await migrate(db)
      return await work(db)
    } finally {
      await db.close()
    }
  } catch (cause) {
    if (isDatabaseOutage(cause))
      throw new Failure(`the database cannot be reached: ${(cause as Error).message}`, { cause })
    throw cause
  }
}
