// Everything that a service has written, to be searched for what it must not write.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '#server/db/port.js'

/** All of it, as text; bytes as hexadecimal digits. */
export async function dumpDatabase(db: Database): Promise<string> {
  const tables = await db.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  const dumps = tables.map(({ name }) => db.query(`SELECT row_to_json(t)::text AS row FROM "${name}" t`))
  return JSON.stringify(await Promise.all(dumps))
}

/** Every file of a folder, one character per byte. */
export function readAll(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return files.map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n')
}
