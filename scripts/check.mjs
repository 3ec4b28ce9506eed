// Everything that must hold before a change is good: types, lint, dead code and all tests, on both databases. Missing programs are
// installed where that is possible; otherwise the tests that need them are skipped, and each is named. The last line counts.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findPrograms } from './programs.mjs'
import { providePrograms } from './provide-programs.mjs'
import { build, checkLiveKit, installLiveKit, installPackages, ROOT, run } from './run.mjs'

/** With more failing files than this, a busy machine is not the reason. */
const MOST_UNSTEADY = 5

const count = { passed: 0, failed: 0, skipped: 0 }

await step('packages', installPackages)
// Side by side: one mostly waits for the disk and the registry, the other computes.
const [hasLiveKit, isBuilt] = await Promise.all([
  step('packages of LiveKit', installLiveKit),
  providePrograms().then(() => step('types and builds', build)),
])
await Promise.all([
  isBuilt && hasLiveKit && step('types of LiveKit', checkLiveKit),
  step('lint', () => run('npx', ['biome', 'check', '.', '--diagnostic-level=warn'], { quiet: true })),
  step('dead code', () => run('npx', ['knip'], { quiet: true })),
])
if (isBuilt) await runTests()
const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`)
process.exitCode = count.failed === 0 ? 0 : 1

async function step(name, work) {
  const start = Date.now()
  const isGood = await work()
  count[isGood ? 'passed' : 'failed']++
  console.log(`${isGood ? 'ok' : 'FAILED'}: ${name} (${Math.round((Date.now() - start) / 1000)} s)`)
  return isGood
}

async function runTests() {
  const first = await runVitest(leaveOutBrowserTests())
  const { isGood, report } = await tryAgainAlone(first)
  const failedBefore = count.failed
  if (report) countTests(report)
  // A file that cannot be loaded, or an error outside of any test, fails no test but fails the run.
  if (!isGood && count.failed === failedBefore) count.failed++
}

async function runVitest(options) {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-check-'))
  const file = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const isGood = await run('npx', ['vitest', 'run', ...reporters, ...options])
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  rmSync(folder, { recursive: true })
  return { isGood, report }
}

/**
 * Tests with real sockets, engines and browsers can starve on a busy machine. A few files with failures get one more try with the machine
 * to themselves, and are named: a test that is named here again and again needs to be fixed. What fails both times is a failure.
 */
async function tryAgainAlone(first) {
  const failed = first.report?.testResults.filter(({ status }) => status === 'failed') ?? []
  if (failed.length === 0 || failed.length > MOST_UNSTEADY) return first
  const files = [...new Set(failed.map(({ name }) => name))]
  console.log(`trying again, one at a time: ${files.map(file => relative(ROOT, file)).join(', ')}`)
  const second = await runVitest(['--maxWorkers=1', '--isolate', ...files])
  if (!second.report) return first
  for (const { name } of second.report.testResults.filter(({ status }) => status === 'passed')) {
    console.log(`unsteady: passed only at the second try: ${relative(ROOT, name)}`)
  }
  const others = first.report.testResults.filter(({ name }) => !files.includes(name))
  return { isGood: second.isGood, report: { testResults: [...others, ...second.report.testResults] } }
}

/** Without a browser every test of that project is skipped; vitest only lists their names. */
function leaveOutBrowserTests() {
  if (findPrograms().chromium !== null) return []
  const list = ['vitest', 'list', '--project', 'browser', '--json']
  const tests = JSON.parse(spawnSync('npx', list, { cwd: ROOT, encoding: 'utf8' }).stdout)
  for (const { file, name } of tests) skip(file, name)
  return ['--project', '!browser']
}

function countTests({ testResults }) {
  for (const { name: file, assertionResults } of testResults) {
    for (const { status, fullName } of assertionResults) {
      if (status === 'passed' || status === 'failed') count[status]++
      else skip(file, fullName)
    }
  }
}

function skip(file, test) {
  count.skipped++
  console.log(`skipped: ${relative(ROOT, file)}: ${test}`)
}
