// Gets the programs that tests use and this machine lacks, and names those that it cannot get.

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOnPath, listMissingPrograms, UNPACKED } from './programs.mjs'
import { run } from './run.mjs'

export async function providePrograms() {
  if (findOnPath('apt-get')) await fetchFromDebian(listMissingPrograms())
  for (const program of listMissingPrograms())
    console.log(`missing: ${program.name}. Tests that need it are skipped (${describeRemedy(program)})`)
}

function describeRemedy({ packages = [], unpack = [], note }) {
  const wanted = [...packages, ...unpack]
  if (wanted.length === 0) return 'see scripts/programs.mjs'
  return [`Debian: apt-get install ${wanted.join(' ')}`, ...(note ? [note] : [])].join(', ')
}

async function fetchFromDebian(programs) {
  const packages = programs.flatMap(({ packages = [] }) => packages)
  const toUnpack = programs.flatMap(({ unpack = [] }) => unpack)
  const isRoot = process.getuid() === 0
  if (isRoot && packages.length + toUnpack.length > 0) await apt(['update'])
  if (isRoot && packages.length > 0) await apt(['install', '-y', '--no-install-recommends', ...packages])
  for (const name of toUnpack) await unpackPackage(name)
}

/** Without root, and without the services and packages that would come with an installation. */
async function unpackPackage(name) {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-package-'))
  try {
    if (!(await apt(['download', name], folder))) return
    mkdirSync(UNPACKED, { recursive: true })
    await run('dpkg-deb', ['-x', join(folder, readdirSync(folder)[0]), UNPACKED], { quiet: true })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function apt(args, cwd) {
  return run('apt-get', args, { env: { DEBIAN_FRONTEND: 'noninteractive' }, quiet: true, cwd })
}
