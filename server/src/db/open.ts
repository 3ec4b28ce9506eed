// Opens the database that the settings name: a PostgreSQL server, or the embedded one in the data folder. A service owns its
// data folder; an operator's command uses the running service's engine, and starts the engine itself when there is none.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { type EmbeddedOptions, joinEmbedded, startEmbedded } from './embedded.ts'
import { FolderInUseError, lockFolder } from './folder-lock.ts'
import type { Database } from './port.ts'
import { openPostgres } from './postgres.ts'

export interface OpenOptions {
  readonly as: 'service' | 'command'
  /** An idle connection broke; the pool replaces it. */
  readonly onConnectionLost: (error: Error) => void
  /** The embedded engine died; the process should end. */
  readonly onEngineLost: (error: Error) => void
}

// A service that has just taken the folder needs a while until its engine listens; the first start of all the longest.
const JOIN_TIMEOUT_MS = 30_000
const JOIN_RETRY_MS = 100
/** A command runs one thing after the other. */
const COMMAND_POOL_SIZE = 2

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databasePoolSize' | 'dataDir'>

export async function openDatabase(config: DatabaseConfig, options: OpenOptions): Promise<Database> {
  const poolSize = options.as === 'command' ? COMMAND_POOL_SIZE : config.databasePoolSize
  if (config.databaseUrl !== undefined) {
    const postgres = openPostgres({ ...options, connection: config.databaseUrl, poolSize })
    return options.as === 'service' ? withLock(postgres, config.dataDir) : postgres
  }
  const embedded = { ...options, dataDir: config.dataDir, poolSize }
  return options.as === 'service' ? startEmbedded(embedded) : startOrJoin(embedded)
}

/** Nodes share the server, but a service keeps things of its own in its data folder: two must not share that. */
async function withLock(database: Database, dataDir: string): Promise<Database> {
  const lock = await lockFolder(dataDir)
  const close = async () => {
    await database.close()
    await lock.release()
  }
  return { ...database, close }
}

async function startOrJoin(options: EmbeddedOptions): Promise<Database> {
  for (const start = Date.now(); ; await sleep(JOIN_RETRY_MS)) {
    try {
      return await startEmbedded(options)
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error
      const joined = await tryJoin(options)
      if (joined) return joined
      if (Date.now() - start > JOIN_TIMEOUT_MS) throw error
    }
  }
}

async function tryJoin(options: EmbeddedOptions): Promise<Database | undefined> {
  try {
    return await joinEmbedded(options)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    throw error
  }
}
