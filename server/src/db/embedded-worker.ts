// The embedded database's own thread: PGlite and its socket server. PostgreSQL runs here synchronously, fsync included, so that the
// thread of the service never waits for a disk.

import { parentPort, workerData } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { openFolder } from './embedded-folder.ts'
import { maintain } from './embedded-maintenance.ts'
import { queryMessage, startupMessage } from './wire-messages.ts'
import { type Backend, WireServer } from './wire-server.ts'

/** What the parent asks for: to serve the database of a folder. */
export interface WorkerTask {
  readonly folder: string
  readonly socket: string
}

export type WorkerRequest = 'are you there?' | 'stop'

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
  const run = (sql: string) => server.runBetween(() => backend.execute(queryMessage(sql), () => undefined))
  const maintenance = maintain(run, () => files.syncs)
  parentPort?.on('message', async (request: WorkerRequest) => {
    if (request === 'are you there?') {
      parentPort?.postMessage('yes')
      return
    }
    clearInterval(maintenance)
    await server.stop(STOP_GRACE_MS)
    await db.close()
    process.exit(0)
  })
  parentPort?.postMessage('ready')
}

const { folder, socket } = workerData as WorkerTask
await serve(folder, socket)
