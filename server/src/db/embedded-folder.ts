// A folder with an embedded database, or to become one, opened with PGlite.

import { PGlite } from '@electric-sql/pglite'
import { checkThatCommitsSync, DURABLE_START_PARAMS, DurableFiles } from './durable-files.ts'

export async function openFolder(folder: string): Promise<{ db: PGlite; files: DurableFiles }> {
  const files = new DurableFiles(folder, exitAfter)
  const db = await PGlite.create({ fs: files, startParams: DURABLE_START_PARAMS })
  await checkThatCommitsSync(db, files)
  return { db, files }
}

/** Ends this thread or process before the engine can go on as if it had written; the parent sees the exit. */
function exitAfter(error: unknown): never {
  process.stderr.write(`the embedded database is broken: ${String(error)}\n`)
  process.exit(1)
}
