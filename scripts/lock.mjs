// `npm run lock`: brings package-lock.json up to date after a package.json changed, whole for every platform.
// npm fills a lock from node_modules where it can, and then leaves out other platforms' packages: so this works in a copy
// without node_modules. `npm run lock -- --fresh` forgets the locked versions and takes the newest that the ranges allow.

import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findLockFaults } from './lock-faults.mjs'
import { copyPackageFiles } from './package-files.mjs'
import { ROOT } from './run.mjs'

const folder = copyPackageFiles()
try {
  process.exitCode = updateLock() ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}

function updateLock() {
  const file = join(folder, 'package-lock.json')
  if (process.argv.includes('--fresh')) rmSync(file, { force: true })
  const npm = spawnSync('npm', ['install', '--package-lock-only'], { cwd: folder, stdio: 'inherit' })
  if (npm.status !== 0) return false
  const faults = findLockFaults(JSON.parse(readFileSync(file, 'utf8')))
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) {
    console.error('package-lock.json is unchanged. Choose a version whose parts can all be resolved.')
    return false
  }
  copyFileSync(file, join(ROOT, 'package-lock.json'))
  console.log('package-lock.json is whole. Install it with npm ci.')
  return true
}
