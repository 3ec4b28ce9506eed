// npm run mutation [-- --only TEXT] [--afresh]: changes the pure core and the functions of the ledger in small ways, counts which changes the
// tests notice, and writes docs/proof/mutation.md. It works part by part and keeps the result of each until its source or its tests change,
// so a run that was stopped goes on where it stopped. --only: the parts whose name holds this text (`sql`, or a part of a path).
// Fails below 90 %, where a survivor has no explanation, and where a part has no result.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listParts } from '../mutation/parts.mjs'
import { summariseSql, summariseStryker, writePage } from '../mutation/report.mjs'
import { forgetFresh, forgetResult, keepFresh, readResult } from '../mutation/results.mjs'
import { describeRun } from './provenance.mjs'
import { build, ROOT, run } from './run.mjs'

const LEAST_PERCENT = 90
const FOLDER = join(ROOT, 'mutation')
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, afresh: { type: 'boolean', default: false } },
})

process.exitCode = (await install()) && (await build()) && (await runChosen()) && report() ? 0 : 1

/** Stryker has a lock of its own: nothing else needs it. */
async function install() {
  if (existsSync(join(FOLDER, 'node_modules/@stryker-mutator/core'))) return true
  return run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER })
}

/** Every part is tried, even after one that failed. */
async function runChosen() {
  const chosen = listParts().filter(({ name }) => name.includes(values.only))
  if (values.afresh) chosen.forEach(forgetResult)
  const waiting = chosen.filter(part => readResult(part) === undefined)
  console.log(`${chosen.length - waiting.length} of ${chosen.length} parts have a result`)
  let failed = 0
  for (const part of waiting) {
    if (!(await runPart(part))) failed++
  }
  return failed === 0
}

async function runPart(part) {
  const began = performance.now()
  forgetFresh()
  const isRun = await (part.name === 'sql' ? runSql() : runStryker(part))
  const fault = isRun ? keepFresh(part) : 'the run failed'
  const seconds = Math.round((performance.now() - began) / 1_000)
  console.log(`${part.name}: ${fault ?? 'done'} (${seconds} s)`)
  return fault === undefined
}

function runStryker({ name, tests }) {
  const stryker = 'mutation/node_modules/@stryker-mutator/core/bin/stryker.js'
  return run('node', [stryker, 'run', 'mutation/stryker.config.json', '--mutate', name], {
    env: { SAUTI_MUTATION_TESTS: tests.join(' ') },
    quiet: true,
  })
}

function runSql() {
  return run('npx', ['vitest', 'run', '--config', 'server/test/mutation/vitest.config.ts'], { quiet: true })
}

/** From what the code is now: a file may have changed since the run began. */
function report() {
  const parts = listParts()
  const missing = parts.filter(part => readResult(part) === undefined)
  for (const { name } of missing) console.log(`no result yet: ${name}`)
  if (missing.length > 0) return values.only !== ''
  const [sql, ...sources] = parts
  const files = Object.assign({}, ...sources.map(part => readResult(part).files))
  const summaries = [summariseStryker({ files }), summariseSql(readResult(sql))]
  writeFileSync(join(ROOT, 'docs/proof/mutation.md'), writePage(describeRun('npm run mutation'), summaries))
  return summaries.map(isGoodEnough).every(isGood => isGood)
}

function isGoodEnough({ name, survivors, killed, counted, percent }) {
  const unexplained = survivors.filter(({ why }) => why === undefined)
  for (const { place, change } of unexplained) console.log(`not explained: ${place}: ${change}`)
  console.log(`${name}: ${killed} of ${counted} killed (${percent} %)`)
  return unexplained.length === 0 && percent >= LEAST_PERCENT
}
