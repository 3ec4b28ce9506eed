// Which files of ours a file runs, through its imports. The result of a mutation run depends on these and on nothing else of ours.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from '../scripts/run.mjs'

/** As mutation/vitest.config.ts resolves them, and the client as its package does. */
const PACKAGES = [
  [/^#server\/(.*)\.js$/, 'server/src/$1.ts'],
  [/^#protocol\/(.*)\.js$/, 'protocol/src/$1.ts'],
  [/^#sdk\/(.*)\.js$/, 'sdk/src/$1.ts'],
  [/^@sauti\/protocol\/(.*)$/, 'protocol/src/$1.ts'],
  [/^@sauti\/client\/(.*)$/, 'sdk/src/$1.ts'],
]

// Types are left out: they do nothing when the tests run.
const IMPORTS = /^(?:import|export)\s(?!type\b)(?:[^'\n]|\n(?!\n))*?from '([^']+)'|\bimport\('([^']+)'\)/gm
const NEIGHBOURS = /\bnew URL\('(\.[^']+)', import\.meta\.url\)/g

/** `files` and all that they lead to, as paths from the root of the repository. */
export function followImports(files) {
  const found = new Set()
  const waiting = [...files]
  while (waiting.length > 0) {
    const file = waiting.pop()
    if (found.has(file)) continue
    found.add(file)
    waiting.push(...importsOf(file))
  }
  return found
}

function importsOf(file) {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const imported = [...text.matchAll(IMPORTS)].map(([, name, lazy]) => locate(file, name ?? lazy))
  const beside = [...text.matchAll(NEIGHBOURS)].map(([, name]) => locate(file, name))
  return [...imported.filter(isOurs), ...beside.filter(path => isOurs(path) && isFile(path))]
}

/** Undefined for a package that is not ours. */
function locate(file, name) {
  if (name.startsWith('.')) return relative(ROOT, join(ROOT, dirname(file), name))
  const rule = PACKAGES.find(([pattern]) => pattern.test(name))
  return rule && name.replace(...rule)
}

/** What a run writes is no part of what it depends on. */
function isOurs(path) {
  return path !== undefined && !path.startsWith('mutation/dist/')
}

function isFile(path) {
  const there = join(ROOT, path)
  return existsSync(there) && statSync(there).isFile()
}
