// npm run mutation [-- --only stryker|sql] [--again]: changes the pure core and the functions of the ledger in small ways, counts which
// changes the tests notice, and writes docs/proof/mutation.md. Fails below 90 %, or where a survivor has no explanation. With --again Stryker
// keeps the results of its last run for code and tests that did not change since.

import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { summariseSql, summariseStryker, writePage } from '../mutation/report.mjs'
import { describeRun } from './provenance.mjs'
import { build, ROOT, run } from './run.mjs'

const LEAST_PERCENT = 90
const FOLDER = join(ROOT, 'mutation')
const began = describeRun('npm run mutation')
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, again: { type: 'boolean', default: false } },
})

const isRun =
  (await install()) &&
  (await build()) &&
  (await mutate('stryker', runStryker)) &&
  (await mutate('sql', runSql))
process.exitCode = isRun && report() ? 0 : 1

/** Stryker has a lock of its own: nothing else needs it. */
async function install() {
  if (existsSync(join(FOLDER, 'node_modules/@stryker-mutator/core'))) return true
  return run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER })
}

async function mutate(name, work) {
  return values.only === '' || values.only === name ? work() : true
}

function runStryker() {
  // Not the report itself: Stryker writes both at the same moment, and one file would then hold parts of both.
  const last = join(FOLDER, 'dist/mutation.json')
  if (values.again && existsSync(last)) copyFileSync(last, join(FOLDER, 'dist/incremental.json'))
  return run('node', [
    'mutation/node_modules/@stryker-mutator/core/bin/stryker.js',
    'run',
    'mutation/stryker.config.json',
    ...(values.again ? ['--incremental'] : []),
  ])
}

function runSql() {
  return run('npx', ['vitest', 'run', '--config', 'server/test/mutation/vitest.config.ts'])
}

function report() {
  const read = name => JSON.parse(readFileSync(join(FOLDER, 'dist', name), 'utf8'))
  const parts = [summariseStryker(read('mutation.json')), summariseSql(read('sql.json'))]
  writeFileSync(join(ROOT, 'docs/proof/mutation.md'), writePage(began, parts))
  const unexplained = parts.flatMap(({ survivors }) => survivors.filter(({ why }) => why === undefined))
  for (const { place, change } of unexplained) console.log(`not explained: ${place}: ${change}`)
  for (const { name, killed, counted, percent } of parts) {
    console.log(`${name}: ${killed} of ${counted} killed (${percent} %)`)
  }
  return unexplained.length === 0 && parts.every(({ percent }) => percent >= LEAST_PERCENT)
}
