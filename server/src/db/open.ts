// Opens the database that the settings name: a PostgreSQL server, or the embedded one in the data folder. A service owns its
// data folder; an operator's command uses the running service's database, and starts it itself when there is none.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../settings/config.ts'
import { type EmbeddedOptions, joinEmbedded, startEmbedded } from './embedded.ts'
import { FolderInUseError, lockFolder } from './folder-lock.ts'
import type { Database } from './port.ts'
import { openPostgres } from './postgres.ts'

export interface OpenOptions {
  readonly as: 'service' | 'command'
  /** An idle connection broke; the pool replaces it. */
  readonly onConnectionLost: (error: Error) => void
  /** The embedded database died; the process should end. */
  readonly onDatabaseLost: (error: Error) => void
}

// A service that has just taken the folder needs a while until its database listens; the first start of all the longest.
const JOIN_TIMEOUT_MS = 30_000
const JOIN_RETRY_MS = 100
/** A command runs one thing after the other. */
const COMMAND_POOL_SIZE = 2
/** Requests do not wait longer for a server that vanished; a command may read the whole ledger. */
const STATEMENT_TIMEOUT_MS = { service: 10_000, command: 3_600_000 }

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databasePoolSize' | 'dataDir'>

export async function openDatabase(config: DatabaseConfig, options: OpenOptions): Promise<Database> {
  const poolSize = options.as === 'command' ? COMMAND_POOL_SIZE : config.databasePoolSize
  if (config.databaseUrl !== undefined) {
    const postgres = openPostgres({
      ...options,
      connection: config.databaseUrl,
      poolSize,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS[options.as],
    })
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
