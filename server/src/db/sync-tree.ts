// Puts a whole folder on disk. Files one after the other each wait for the disk, a thousand times; several at once share what they wait for.

import { readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** As many as Node has threads for files. */
const AT_ONCE = 4

export async function syncTree(folder: string): Promise<void> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  const waiting = entries
    .filter(entry => entry.isFile() || entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name))
  waiting.push(folder)
  const syncWaiting = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) await syncPath(path)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, syncWaiting))
}

export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
