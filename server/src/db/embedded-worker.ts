// The embedded database's own thread: PGlite and its socket server. PostgreSQL runs here synchronously, fsync included, so that the
// thread of the service never waits for a disk.

import { parentPort, workerData } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import type { DurableFiles } from './durable-files.ts'
import { openFolder } from './embedded-folder.ts'
import { queryMessage, startupMessage } from './wire-messages.ts'
import { type Backend, WireServer } from './wire-server.ts'

/** What the parent asks for: to serve the database of a folder. */
export interface WorkerTask {
  readonly folder: string
  readonly socket: string
}

export type WorkerRequest = 'are you there?' | 'stop'

// There is no checkpointer and no autovacuum beside a single backend: without these the log would grow without limit.
const CHECKPOINT_INTERVAL_MS = 60_000
const VACUUM_INTERVAL_MS = 3_600_000

/** Connections that are still open when the service stops belong to operators' commands, which are short. */
const STOP_GRACE_MS = 3_000

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

const { folder, socket } = workerData as WorkerTask
await serve(folder, socket)
