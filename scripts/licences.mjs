// The licences of everything that `npm run pack` ships.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listProductionPackages } from './production-packages.mjs'
import { ROOT } from './run.mjs'

/** Licences under which a package may be shipped beside code under Apache 2.0. LGPL and MPL parts are separate, replaceable files. */
const PERMITTED = new Set([
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    '0BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'CC0-1.0',
  ],
  ...['MPL-2.0', 'LGPL-3.0-or-later', '(MIT OR CC0-1.0)'],
])

/** One entry per name and version. */
export function listShippedPackages() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const shipped = listProductionPackages(lock).packages.map(path => {
    const { version, integrity, license = 'unknown' } = lock.packages[path]
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return { name, version, integrity, licence: license, isPermitted: PERMITTED.has(license) }
  })
  return [...new Map(shipped.map(one => [`${one.name}@${one.version}`, one])).values()]
}

export function describeLicences() {
  const rows = listShippedPackages().map(
    ({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`,
  )
  const head = [
    '# Licences of the packages that Sauti ships',
    '',
    '| package | version | licence |',
    '|---|---|---|',
  ]
  return `${[...head, ...rows].join('\n')}\n`
}
