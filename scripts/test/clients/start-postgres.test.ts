// The check's own PostgreSQL really starts, whatever the machine has: links to some of the programs in a folder of PATH, or nothing at all.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openPostgres } from '../../../server/dist/db/postgres.js'
import { findPostgresFolder } from '../../find-postgres.mjs'
import { startPostgres } from '../../postgres-for-tests.mjs'

const PROGRAMS = ['initdb', 'postgres', 'pg_ctl']
/** A machine on which nothing is installed, not even by npm ci. */
const BARE = { path: '', packaged: undefined, roots: [] }

const folder = mkdtempSync(join(tmpdir(), 'sauti-start-postgres-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function startAndAsk(installed: string | undefined): Promise<unknown> {
  const postgres = await startPostgres({ installed })
  const database = openPostgres({ connection: postgres.url, poolSize: 1, onConnectionLost: () => undefined })
  try {
    return await database.query('SELECT 1 AS one')
  } finally {
    await database.close()
    await postgres.stop()
  }
}

it('starts from links in a folder of PATH that has no pg_isready', async () => {
  // Where this machine has no PostgreSQL, the links lead to the one of the npm package.
  const real = findPostgresFolder(PROGRAMS, { packaged: undefined }) ?? findPostgresFolder(PROGRAMS)!
  const links = join(folder, 'bin')
  mkdirSync(links)
  for (const program of PROGRAMS) symlinkSync(join(real, program), join(links, program))
  const found = findPostgresFolder(undefined, { ...BARE, path: links })
  expect(await startAndAsk(found)).toEqual([{ one: 1 }])
})

it('starts on a machine without PostgreSQL: npm ci has brought it', async () => {
  const { packaged: _, ...nothingInstalled } = BARE
  expect(await startAndAsk(findPostgresFolder(undefined, nothingInstalled))).toEqual([{ one: 1 }])
})

it('says what to do where there is none', async () => {
  expect(findPostgresFolder(undefined, BARE)).toBeUndefined()
  await expect(startAndAsk('')).rejects.toThrow('PostgreSQL is missing: run npm ci, or install it')
})
