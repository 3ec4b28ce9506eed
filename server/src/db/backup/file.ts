// A backup as a file: gzip of one JSON record per line. It appears under its name only when it is whole and on disk.

import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Database } from '../port.ts'
import { type BackupRecord, readEverything } from './read.ts'
import { writeEverything } from './write.ts'

/** Returns how many rows the file holds. It holds hashes of keys and passwords: only its owner may read it. */
export async function backUp(database: Database, path: string): Promise<number> {
  const draft = `${path}.partial`
  let rows = 0
  try {
    const lines = toLines(database, count => {
      rows = count
    })
    await pipeline(lines, createGzip(), createWriteStream(draft, { mode: 0o600 }))
    await syncFile(draft)
    await rename(draft, path)
    return rows
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The records as lines of text; a slow disk slows the reading down. */
function toLines(database: Database, onEnd: (rows: number) => void): Readable {
  let wake: () => void = () => undefined
  const stream = new Readable({ read: () => wake() })
  const take = (record: BackupRecord) => {
    if (record.type === 'end') onEnd(record.rows)
    const hasRoom = stream.push(`${JSON.stringify(record)}\n`)
    return hasRoom
      ? Promise.resolve()
      : new Promise<void>(resolve => {
          wake = resolve
        })
  }
  readEverything(database, take).then(
    () => stream.push(null),
    error => stream.destroy(error),
  )
  return stream
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync()
  await file.close()
}

/** Into an empty database. Returns how many rows were written. */
export async function restore(database: Database, path: string): Promise<number> {
  const source = createReadStream(path)
  const unzipped = source.pipe(createGunzip())
  source.on('error', error => unzipped.destroy(error))
  const lines = createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })
  const failed = new Promise<never>((_, reject) => unzipped.once('error', reject))
  failed.catch(() => undefined)
  const iterator = lines[Symbol.asyncIterator]()
  const next = async (): Promise<BackupRecord | undefined> => {
    const { done, value } = await Promise.race([iterator.next(), failed])
    return done ? undefined : (JSON.parse(value) as BackupRecord)
  }
  try {
    return await writeEverything(database, next)
  } finally {
    lines.close()
    source.destroy()
  }
}
