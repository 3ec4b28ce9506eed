// Makes the embedded database's commits durable: PGlite starts PostgreSQL with fsync off and its Node file system has none. This
// depends on Emscripten's internals as they are in the pinned version, so the start checks that a commit really syncs.

import fs from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

interface NodeStream {
  readonly nfd: number
}

interface EmscriptenModule {
  readonly FS: {
    readonly filesystems: { readonly NODEFS: { stream_ops: { fsync?: (stream: NodeStream) => number } } }
  }
}

/** All of it is memory from the start: emptying it touches every page. What is not in it is read from the system's cache of files. */
const SHARED_BUFFERS = '16MB'

export const DURABLE_START_PARAMS = [
  ...PGlite.defaultStartParams.filter(param => param !== '-F'),
  ...['fsync=on', 'wal_sync_method=fsync', 'synchronous_commit=on', 'full_page_writes=on'].flatMap(asParam),
  ...[`shared_buffers=${SHARED_BUFFERS}`, 'min_wal_size=32MB', 'max_wal_size=64MB'].flatMap(asParam),
  // Filling a new segment of the log with zeros takes Emscripten sixteen buffers of 1 MB, which stay until this thread next collects its garbage.
  ...asParam('wal_init_zero=off'),
]

function asParam(assignment: string): string[] {
  return ['-c', assignment]
}

export class DurableFiles extends NodeFS {
  syncs = 0
  readonly #onBroken: (error: unknown) => never

  /**
   * `onBroken` must end the database's thread: after a failed fsync nobody knows what is on disk, and PGlite itself would carry
   * on after a panic of PostgreSQL. The next start recovers.
   */
  constructor(folder: string, onBroken: (error: unknown) => never) {
    super(folder)
    this.#onBroken = onBroken
  }

  override async init(...[db, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(db, options)
    const addFsync = (module: EmscriptenModule) => {
      module.FS.filesystems.NODEFS.stream_ops.fsync = stream => this.#sync(stream)
    }
    const preRun = [...[emscriptenOpts.preRun ?? []].flat(), addFsync]
    const onAbort = (what: unknown) => this.#onBroken(new Error(`PostgreSQL panicked ${what}`))
    return { emscriptenOpts: { ...emscriptenOpts, preRun, onAbort } as typeof emscriptenOpts }
  }

  #sync(stream: NodeStream): number {
    try {
      fs.fsyncSync(stream.nfd)
    } catch (error) {
      this.#onBroken(error)
    }
    this.syncs++
    return 0
  }
}

/** Commits a transaction that only writes to the log, and sees whether it was synced. */
export async function checkThatCommitsSync(db: PGlite, files: DurableFiles): Promise<void> {
  const before = files.syncs
  await db.query("SELECT pg_logical_emit_message(true, 'sauti', 'does a commit sync?')")
  if (files.syncs === before) throw new Error('the embedded database does not sync its commits to disk')
}
