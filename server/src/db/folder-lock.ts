// One process per data folder. Node has no flock, and a process id proves nothing across containers that share the folder, so
// the proof of life is a listening Unix socket: the kernel answers on it, and releases it however the holder dies.
//
// The holder is named by symbolic links `lock.1`, `lock.2`, ...: creating one is atomic, and the highest number counts. A
// starter that finds the highest dead tries to create the next number; of several only one can. Numbers never go down, not
// even when a lock is released, so a starter that was delayed cannot win with a number from the past.

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { openSocketFolder } from './socket-folder.ts'

const OWNER_ONLY = 0o700

export interface FolderLock {
  /** The folder under a name that is short enough for sockets in it. */
  readonly socketPath: string
  release(): Promise<void>
}

export class FolderInUseError extends Error {
  constructor(folder: string, holder: string) {
    super(`the data folder ${folder} is in use by ${holder}`)
    this.name = 'FolderInUseError'
  }
}

/** Creates the folder if there is none, and takes its lock or throws FolderInUseError. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY })
  // A folder that was there already may be open to others.
  chmodSync(folder, OWNER_ONLY)
  const sockets = openSocketFolder(folder)
  const name = `lock-${process.pid}-${randomBytes(6).toString('hex')}.sock`
  // Listening comes before the link: a link that exists and does not answer is dead for certain.
  const server = await listen(join(sockets.path, name))
  const release = async () => {
    await close(server)
    sockets.close()
  }
  try {
    await claim(folder, sockets.path, name)
  } catch (error) {
    await release()
    throw error
  }
  return { socketPath: sockets.path, release }
}

async function claim(folder: string, socketPath: string, name: string): Promise<void> {
  for (;;) {
    const highest = Math.max(0, ...listGenerations(folder))
    if (highest > 0 && (await isAlive(join(socketPath, `lock.${highest}`)))) {
      throw new FolderInUseError(folder, describeHolder(folder, highest))
    }
    const mine = highest + 1
    if (!createLink(name, join(folder, `lock.${mine}`))) continue
    if (listGenerations(folder).every(generation => generation <= mine)) {
      removeDead(folder, mine, name)
      return
    }
    // Another process took a higher number while we waited to create this one.
    rmSync(join(folder, `lock.${mine}`), { force: true })
  }
}

function listGenerations(folder: string): number[] {
  return readdirSync(folder)
    .map(name => /^lock\.(\d+)$/.exec(name)?.[1])
    .filter(digits => digits !== undefined)
    .map(Number)
}

function createLink(target: string, path: string): boolean {
  try {
    symlinkSync(target, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function removeDead(folder: string, mine: number, name: string): void {
  for (const entry of readdirSync(folder)) {
    const generation = /^lock\.(\d+)$/.exec(entry)?.[1]
    const isOldLink = generation !== undefined && Number(generation) < mine
    if (!isOldLink) continue
    const target = readTarget(join(folder, entry))
    if (target !== undefined && target !== name) rmSync(join(folder, target), { force: true })
    rmSync(join(folder, entry), { force: true })
  }
}

function describeHolder(folder: string, generation: number): string {
  const pid = /^lock-(\d+)-/.exec(readTarget(join(folder, `lock.${generation}`)) ?? '')?.[1]
  return pid === undefined ? 'another process' : `process ${pid}`
}

function readTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Only a refused connection or a missing socket proves that nobody listens; anything else counts as alive. */
function isAlive(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', error => resolve(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error) ?? '')))
  })
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.once('error', reject)
    // The lock alone must not keep the process running.
    server.listen(path, () => resolve(server.unref()))
  })
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()))
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}
