// The embedded database: PostgreSQL compiled to WebAssembly in a thread of this process, reached through a Unix socket by the
// same pool that reaches a PostgreSQL server. One process per data folder; its committed transactions survive a power cut.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { WorkerRequest, WorkerTask } from './embedded-worker.ts'
import { lockFolder } from './folder-lock.ts'
import type { Database } from './port.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { openSocketFolder } from './socket-folder.ts'
import { syncPath, syncTree } from './sync-tree.ts'

export interface EmbeddedOptions extends Omit<PostgresOptions, 'connection'> {
  readonly dataDir: string
  /** The database's thread has died; nothing can be read or written any more, so the process should end. */
  readonly onDatabaseLost: (error: Error) => void
}

// pg finds the socket of host `folder` and port N at `folder/.s.PGSQL.N`.
const PORT = 5432
const SOCKET_NAME = `.s.PGSQL.${PORT}`

const OWNER_ONLY = 0o700

/**
 * The quick compiler alone for PostgreSQL. The optimising one works on it for half a minute, holds 45 MB, and a transaction costs as much
 * afterwards (1.0 CPU-ms either way, 2 instead of 13 among the first hundred). It holds for all WebAssembly that this process compiles from here
 * on; the only other that matters decodes Opus, at 3.2 instead of 2.9 CPU-ms per second of sound. A new database is made with 5.9 instead of 9.7 CPU-s.
 */
const QUICK_COMPILER = '--liftoff-only'

/** How the names of folders begin whose database is not complete yet. */
const DRAFT = 'database.new'

// One statement may take some seconds; none of ours takes a minute.
const WATCH_INTERVAL_MS = 15_000
const MISSED_ANSWERS = 4

/** Locks the folder and starts the database, or throws FolderInUseError. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Database> {
  const { dataDir } = options
  const lock = await lockFolder(dataDir)
  try {
    const folder = await prepareDatabaseFolder(dataDir)
    rmSync(join(dataDir, SOCKET_NAME), { force: true })
    const thread = await startDatabaseThread(
      folder,
      join(lock.socketPath, SOCKET_NAME),
      options.onDatabaseLost,
    )
    const database = openPostgres({ ...options, connection: { host: lock.socketPath, port: PORT } })
    const { query, transaction } = database
    return { query, transaction, close: () => closeAll(database.close, thread.stop, lock.release) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Uses the database of another process through its socket. Fails where nobody listens (yet). */
export async function joinEmbedded(options: EmbeddedOptions): Promise<Database> {
  const sockets = openSocketFolder(options.dataDir)
  const database = openPostgres({ ...options, connection: { host: sockets.path, port: PORT } })
  const close = () => closeAll(database.close, sockets.close)
  try {
    await database.query('SELECT 1')
  } catch (error) {
    await close()
    throw error
  }
  const { query, transaction } = database
  return { query, transaction, close }
}

async function closeAll(...steps: readonly (() => Promise<void> | void)[]): Promise<void> {
  for (const step of steps) await step()
}

/** A new database is created beside its final place and then renamed, so that a process killed midway never leaves half of one. */
async function prepareDatabaseFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'database')
  if (existsSync(folder)) {
    // A folder that was copied here, as from a backup, may have lost its mode on the way.
    chmodSync(folder, OWNER_ONLY)
    return folder
  }
  removeDrafts(dataDir)
  const draft = mkdtempSync(join(dataDir, `${DRAFT}-`))
  await createDatabase(draft)
  await syncTree(draft)
  renameSync(draft, folder)
  await syncPath(dataDir)
  return folder
}

/** Of a process that was killed while it made a database. */
function removeDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter(name => name.startsWith(DRAFT)))
    rmSync(join(dataDir, name), { recursive: true, force: true })
}

async function createDatabase(folder: string): Promise<void> {
  const creator = fork(fileURLToPath(new URL('./embedded-creator.js', import.meta.url)), [folder], {
    execArgv: [QUICK_COMPILER],
  })
  const [code, signal] = await once(creator, 'exit')
  if (code !== 0) throw new Error(`the embedded database could not be made (${signal ?? `code ${code}`})`)
}

/** What a statement leaves behind is garbage when it has been answered. With more room for it a thread keeps more memory and does no less. */
const NURSERY_MB = 6

function startWorker(task: WorkerTask): Worker {
  setFlagsFromString(QUICK_COMPILER)
  return new Worker(new URL('./embedded-worker.js', import.meta.url), {
    workerData: task,
    // Without the parent's own flags: some, like --input-type, a worker cannot start with.
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: NURSERY_MB },
  })
}

async function startDatabaseThread(folder: string, socket: string, onLost: (error: Error) => void) {
  const worker = startWorker({ folder, socket })
  await ready(worker)
  let stopping = false
  const watch = watchThread(worker, onLost)
  worker.on('error', error => onLost(asError(error)))
  worker.on('exit', code => {
    clearInterval(watch)
    if (!stopping) onLost(new Error(`the embedded database has ended (code ${code})`))
  })
  const stop = async () => {
    stopping = true
    const end = exited(worker)
    worker.postMessage('stop' satisfies WorkerRequest)
    await end
  }
  return { stop }
}

/** PGlite catches whatever PostgreSQL throws and retries, possibly for ever: then the thread does not answer. */
function watchThread(worker: Worker, onLost: (error: Error) => void): NodeJS.Timeout {
  let missed = 0
  worker.on('message', () => {
    missed = 0
  })
  const ask = () => {
    if (missed >= MISSED_ANSWERS) onLost(new Error('the embedded database does not answer any more'))
    missed += 1
    worker.postMessage('are you there?' satisfies WorkerRequest)
  }
  return setInterval(ask, WATCH_INTERVAL_MS).unref()
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (code: number) => reject(new Error(`the embedded database did not start (code ${code})`))
    worker.once('error', reject)
    worker.once('exit', fail)
    worker.once('message', () => {
      worker.off('error', reject)
      worker.off('exit', fail)
      resolve()
    })
  })
}

function exited(worker: Worker): Promise<void> {
  return new Promise(resolve => {
    worker.once('exit', () => resolve())
  })
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
