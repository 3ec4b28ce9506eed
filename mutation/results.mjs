// The results of the parts, in mutation/dist: kept between runs, refused when they say nothing.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../scripts/run.mjs'

const FOLDER = join(ROOT, 'mutation/dist')
/** Where Stryker and server/test/mutation/run.ts write what they found last. */
const FRESH = { stryker: join(FOLDER, 'mutation.json'), sql: join(FOLDER, 'sql.json') }

/** Undefined where there is none for this state of the code. */
export function readResult({ name, key }) {
  const file = fileOf(name)
  if (!existsSync(file)) return undefined
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  return kept.key === key ? kept.result : undefined
}

export function forgetResult({ name }) {
  rmSync(fileOf(name), { force: true })
}

/** Before a run, so that what it did not write is not taken for its result. */
export function forgetFresh() {
  for (const file of Object.values(FRESH)) rmSync(file, { force: true })
}

/** Says what is wrong with the result that was just written, or keeps it. */
export function keepFresh({ name, key, tests }) {
  const fresh = name === 'sql' ? FRESH.sql : FRESH.stryker
  if (!existsSync(fresh)) return 'nothing was run'
  const result = JSON.parse(readFileSync(fresh, 'utf8'))
  const fault = name === 'sql' ? undefined : findFault(result, name, tests)
  if (fault !== undefined) return fault
  mkdirSync(join(FOLDER, 'parts'), { recursive: true })
  writeFileSync(fileOf(name), JSON.stringify({ key, result }))
  return undefined
}

/**
 * Stryker counts a test file that cannot be loaded as one without tests, and changes that no test runs as changes like others. Both look
 * like a result and are none.
 */
export function findFault({ files, testFiles }, source, tests) {
  const silent = tests.filter(test => !testFiles?.[test]?.tests?.length)
  if (silent.length > 0) return `no test was run of ${silent.join(', ')}`
  const mutants = files[source]?.mutants ?? []
  if (mutants.length === 0) return 'nothing was changed'
  if (mutants.every(({ status }) => status === 'NoCoverage')) return 'no test runs what was changed'
  const broken = mutants.filter(({ status }) => status === 'RuntimeError' || status === 'Pending')
  return broken.length > 0 ? `${broken.length} changes have no outcome` : undefined
}

function fileOf(name) {
  return join(FOLDER, 'parts', `${name.replaceAll('/', '+')}.json`)
}
