// Where PostgreSQL's server programs are on this machine: on PATH, or where Debian and Homebrew keep them.

import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const VERSIONED_ROOTS = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']

/** The folder with initdb and postgres in it, the newest version first; undefined when there is none. */
export function findPostgresFolder() {
  const onPath = (process.env.PATH ?? '').split(delimiter)
  return [...onPath, ...VERSIONED_ROOTS.flatMap(listVersions)].find(
    folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  )
}

function listVersions(root) {
  if (!existsSync(root)) return []
  const version = name => Number(/(\d+)$/.exec(name)?.[1] ?? 0)
  return readdirSync(root)
    .filter(name => /^(postgresql@)?\d+$/.test(name))
    .sort((a, b) => version(b) - version(a))
    .map(name => join(root, name, 'bin'))
}
