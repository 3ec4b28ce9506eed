// The operator's commands work on the database of the service: through the running service, or alone.

import { migrate } from '@sauti/server/db/migrate.js'
import { openDatabase } from '@sauti/server/db/open.js'
import { isDatabaseOutage } from '@sauti/server/db/outage.js'
import type { Database } from '@sauti/server/db/port.js'
import { readCommandConfig } from '@sauti/server/settings/config.js'
import { Failure } from './command.ts'

export async function withDatabase<T>(
  work: (db: Database) => Promise<T>,
  { migrates = true }: { migrates?: boolean } = {},
): Promise<T> {
  process.umask(0o077)
  const config = readCommandConfig()
  const lost = (error: Error) => console.error(`the database was lost: ${error.message}`)
  try {
    const db = await openDatabase(config, { as: 'command', onConnectionLost: lost, onDatabaseLost: lost })
    try {
      if (migrates) await migrate(db)
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
