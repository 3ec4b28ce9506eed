// The embedded database's own thread: PGlite and its door. PostgreSQL runs here synchronously, fsync included, so that the
// thread of the service never waits for a disk.

import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { checkThatCommitsSync, DURABLE_START_PARAMS, DurableFiles } from './durable-files.ts'
import { queryMessage, startupMessage } from './wire-messages.ts'
import { type Backend, WireServer } from './wire-server.ts'

/** What the parent asks for: a new database in a folder, or the serving of one. */
export type WorkerTask =
  | { readonly type: 'create'; readonly folder: string }
  | { readonly type: 'serve'; readonly folder: string; readonly socket: string }

export type WorkerRequest = 'are you there?' | 'stop'

// There is no checkpointer and no autovacuum beside a single backend: without these the log would grow for ever.
const CHECKPOINT_INTERVAL_MS = 60_000
const VACUUM_INTERVAL_MS = 3_600_000

/** Connections that are still open when the service stops belong to operator's commands, which are short. */
const STOP_GRACE_MS = 3_000

async function openFolder(folder: string): Promise<{ db: PGlite; files: DurableFiles }> {
  const files = new DurableFiles(folder, exitAfter)
  const db = await PGlite.create({ fs: files, startParams: DURABLE_START_PARAMS })
  await checkThatCommitsSync(db, files)
  return { db, files }
}

/** Ends this thread before the engine can go on as if it had written; the parent sees the exit. */
function exitAfter(error: unknown): never {
  process.stderr.write(`the embedded database is broken: ${String(error)}\n`)
  process.exit(1)
}

function openBackend(db: PGlite): Backend {
  const execute: Backend['execute'] = (messages, onData) => {
    // Nothing in it waits: by the time the promise is here the answer has been given.
    void db.execProtocolRawStream(messages, { syncToFs: false, onRawData: onData })
  }
  const greeting: Uint8Array[] = []
  execute(startupMessage('postgres', 'postgres'), data => greeting.push(data.slice()))
  return {
    greeting: Buffer.concat(greeting),
    execute,
    rollback: () => execute(queryMessage('ROLLBACK'), () => undefined),
    isInTransaction: () => db.isInTransaction(),
  }
}

async function serve(folder: string, socket: string): Promise<void> {
  const { db, files } = await openFolder(folder)
  const backend = openBackend(db)
  const server = new WireServer(backend)
  await server.listen(socket)
  const maintenance = maintain(server, backend, files)
  parentPort?.on('message', async (request: WorkerRequest) => {
    if (request === 'are you there?') {
      parentPort?.postMessage('yes')
      return
    }
    for (const timer of maintenance) clearInterval(timer)
    await server.stop(STOP_GRACE_MS)
    await db.close()
    process.exit(0)
  })
  parentPort?.postMessage('ready')
}

function maintain(server: WireServer, backend: Backend, files: DurableFiles): NodeJS.Timeout[] {
  let syncsBefore = files.syncs
  const run = (sql: string) => server.runBetween(() => backend.execute(queryMessage(sql), () => undefined))
  const checkpoint = () => {
    if (files.syncs === syncsBefore) return
    run('CHECKPOINT')
    syncsBefore = files.syncs
  }
  return [
    setInterval(checkpoint, CHECKPOINT_INTERVAL_MS),
    setInterval(() => run('VACUUM (ANALYZE)'), VACUUM_INTERVAL_MS),
  ]
}

async function create(folder: string): Promise<void> {
  const { db } = await openFolder(folder)
  await db.close()
  parentPort?.postMessage('ready')
  process.exit(0)
}

const task = workerData as WorkerTask
await (task.type === 'create' ? create(task.folder) : serve(task.folder, task.socket))
