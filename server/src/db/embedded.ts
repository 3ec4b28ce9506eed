// The embedded database: PostgreSQL compiled to WebAssembly in a thread of this process, reached through a Unix socket by the
// same pool that reaches a PostgreSQL server. One process a data folder; its committed transactions survive a power cut.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WorkerRequest, WorkerTask } from './embedded-worker.ts'
import { lockFolder } from './folder-lock.ts'
import type { Database } from './port.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { openSocketFolder } from './socket-folder.ts'

export interface EmbeddedOptions extends Omit<PostgresOptions, 'connection'> {
  readonly dataDir: string
  /** The engine's thread has died; nothing can be read or written any more, so the process should end. */
  readonly onEngineLost: (error: Error) => void
}

// pg finds the socket of host `folder` and port N at `folder/.s.PGSQL.N`.
const PORT = 5432
const SOCKET_NAME = `.s.PGSQL.${PORT}`

// One statement may well take some seconds; a minute of silence is no statement of ours.
const WATCH_INTERVAL_MS = 15_000
const MISSED_ANSWERS = 4

/** Locks the folder and starts the engine, or throws FolderInUseError. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Database> {
  const { dataDir } = options
  const lock = await lockFolder(dataDir)
  try {
    const folder = await prepareDatabaseFolder(dataDir)
    rmSync(join(dataDir, SOCKET_NAME), { force: true })
    const engine = await startEngine(folder, join(lock.socketPath, SOCKET_NAME), options.onEngineLost)
    const database = openPostgres({ ...options, connection: { host: lock.socketPath, port: PORT } })
    return { ...database, close: () => closeAll(database.close, engine.stop, lock.release) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Uses the engine of another process through its socket. Fails where nobody listens (yet). */
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
  return { ...database, close }
}

async function closeAll(...steps: readonly (() => Promise<void> | void)[]): Promise<void> {
  for (const step of steps) await step()
}

/** A new database is made aside and then renamed, so that a kill on the way never leaves half of one in its place. */
async function prepareDatabaseFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'database')
  if (existsSync(folder)) return folder
  const draft = join(dataDir, 'database.new')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  await runToEnd({ type: 'create', folder: draft })
  syncTree(draft)
  renameSync(draft, folder)
  syncPath(dataDir)
  return folder
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) syncPath(join(entry.parentPath, entry.name))
  }
  syncPath(folder)
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function startWorker(task: WorkerTask): Worker {
  // Without the parent's own flags: some, like --input-type, a worker cannot start with.
  return new Worker(new URL('./embedded-worker.js', import.meta.url), { workerData: task, execArgv: [] })
}

async function runToEnd(task: WorkerTask): Promise<void> {
  const worker = startWorker(task)
  await ready(worker)
  await exited(worker)
}

async function startEngine(folder: string, socket: string, onLost: (error: Error) => void) {
  const worker = startWorker({ type: 'serve', folder, socket })
  await ready(worker)
  let stopping = false
  const watch = watchEngine(worker, onLost)
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

/** PGlite catches whatever its engine throws and tries again, for ever if need be: then the thread does not answer. */
function watchEngine(worker: Worker, onLost: (error: Error) => void): NodeJS.Timeout {
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
