// Everything that must hold before a change is good: types, lint, dead code and all tests, on both databases. Nothing is left out
// in silence: what is missing is installed where that is allowed, and is otherwise a failure. The last line counts.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findPostgresFolder } from './find-postgres.mjs'
import { build, installPackages, ROOT, run } from './run.mjs'

const count = { passed: 0, failed: 0 }

/** What the tests need of the machine, and the Debian package that brings it. */
const NEEDS = [
  { name: 'PostgreSQL', package: 'postgresql', isThere: () => findPostgresFolder() !== undefined },
  { name: 'strace', package: 'strace', isThere: () => process.platform !== 'linux' || isOnPath('strace') },
  { name: 'ffmpeg', package: 'ffmpeg', isThere: () => isOnPath('ffmpeg') },
  { name: 'httpx for Python', package: 'python3-httpx', isThere: () => hasPythonModule('httpx') },
  {
    name: 'websockets for Python',
    package: 'python3-websockets',
    isThere: () => hasPythonModule('websockets'),
  },
  { name: 'Chromium', package: 'chromium', isThere: () => !hasBrowserTests() || isOnPath('chromium') },
]

await step('packages', installPackages)
await step('machine', provideMachine)
const isBuilt = await step('types and builds', build)
await step('lint', () => run('npx', ['biome', 'check', '.', '--diagnostic-level=warn']))
await step('dead code', () => run('npx', ['knip']))
if (isBuilt) await runTests()
console.log(`${count.passed} passed, ${count.failed} failed`)
process.exitCode = count.failed === 0 ? 0 : 1

async function step(name, work) {
  const start = Date.now()
  const isGood = await work()
  count[isGood ? 'passed' : 'failed']++
  console.log(`${isGood ? 'ok' : 'FAILED'}: ${name} (${Math.round((Date.now() - start) / 1000)} s)`)
  return isGood
}

async function provideMachine() {
  const missing = () => NEEDS.filter(need => !need.isThere())
  if (missing().length > 0 && process.getuid?.() === 0 && isOnPath('apt-get')) {
    const packages = missing().map(need => need.package)
    const apt = args => run('apt-get', args, { env: { DEBIAN_FRONTEND: 'noninteractive' }, quiet: true })
    await apt(['update'])
    await apt(['install', '-y', '--no-install-recommends', ...packages])
  }
  if (missing().length === 0) return true
  const names = missing().map(need => `${need.name} (Debian: apt-get install ${need.package})`)
  console.error(`missing on this machine: ${names.join(', ')}`)
  return false
}

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-check-'))
  const file = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const isGood = await run('npx', ['vitest', 'run', ...reporters])
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  rmSync(folder, { recursive: true })
  if (report) countTests(report)
  // A file that cannot be loaded, or an error outside of any test, fails no test but fails the run.
  if (!isGood && (report?.numFailedTests ?? 0) === 0) count.failed++
}

function countTests(report) {
  count.passed += report.numPassedTests
  count.failed += report.numFailedTests
  const tests = report.testResults.flatMap(file => file.assertionResults)
  for (const { status, fullName } of tests) {
    if (status !== 'passed' && status !== 'failed') console.log(`not run: ${fullName}`)
  }
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)))
}

/** In the Python that the tests run: Debian's, unless they are told of another. */
function hasPythonModule(name) {
  const python = process.env.SAUTI_TEST_PYTHON ?? '/usr/bin/python3'
  return spawnSync(python, ['-c', `import ${name}`]).status === 0
}

function hasBrowserTests() {
  return readdirSync(ROOT).some(workspace => existsSync(join(ROOT, workspace, 'test/browser')))
}
