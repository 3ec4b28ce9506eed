// Makes a new database in the folder given, in a process of its own: that takes over 100 MB which the allocator would keep as long as the
// process lives, and the service lives long. PGlite runs in a thread here as well, so that this process ends at once with its parent: when
// the service is started again, nothing else writes to the folder.

import { fileURLToPath } from 'node:url'
import { parentPort, Worker, workerData } from 'node:worker_threads'

if (parentPort === null) {
  if (!process.connected) process.exit(1)
  process.on('disconnect', () => process.exit(1))
  const [, , folder] = process.argv
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: folder, execArgv: [] })
  worker.on('error', error => {
    throw error
  })
  worker.on('exit', code => process.exit(code))
} else {
  const { openFolder } = await import('./embedded-folder.ts')
  const { db } = await openFolder(workerData)
  await db.close()
  process.exit(0)
}
