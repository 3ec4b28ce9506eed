// Where a service could leave traces: its metrics, its folders, the files of its database.

import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import type { Database } from '#server/db/port.js'
import { currentEngine } from '../database/database.ts'

export function readMetrics(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`http://127.0.0.1:${port}/metrics`, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', part => {
        text += part
      })
      answer.on('end', () => resolve(text))
    }).on('error', reject)
  })
}

export function readFolder(folder: string): Record<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name).replace(folder, ''),
      readFileSync(join(parentPath, name)),
    ]),
  )
}

/** The files of a running PostgreSQL, with everything that it held in memory written to them first. */
export async function readPostgresFiles(database: Database): Promise<Record<string, Buffer>> {
  if (currentEngine() !== 'postgres') return {}
  await database.query('CHECKPOINT')
  const [row] = await database.query<{ data_directory: string; oid: number }>(
    `SELECT current_setting('data_directory') AS data_directory, oid::int FROM pg_database WHERE datname = current_database()`,
  )
  const { data_directory: folder, oid } = row!
  return { ...readFolder(join(folder, 'base', String(oid))), ...readFolder(join(folder, 'pg_wal')) }
}
