import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { findLockFaults } from '../../lock-faults.mjs'
import { copyPackageFiles } from '../../package-files.mjs'
import { ROOT } from '../../run.mjs'

const folder = copyPackageFiles()
afterAll(() => rmSync(folder, { recursive: true }))

it.each(['.', 'mutation'])('locks every platform, with integrity and without addresses: %s', place => {
  const written = readFileSync(join(ROOT, place, 'package-lock.json'), 'utf8')
  expect(findLockFaults(JSON.parse(written))).toEqual([])
  expect(written).not.toMatch(/https?:\/\/[^"]*\.tgz/)
})

// Offline and with an empty cache: whatever npm ci would have to ask a registry for is missing from the lock.
it.each(['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'])(
  'npm ci accepts the lock on %s',
  machine => {
    const [os, cpu] = machine.split(' ')
    const clean = ['--dry-run', '--offline', '--cache', join(folder, 'empty-cache')]
    const args = ['ci', ...clean, `--os=${os}`, `--cpu=${cpu}`]
    const said = execFileSync('npm', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(said).toContain(`add @biomejs/cli-${os}-${cpu} `)
  },
)

it('names what is wrong with a broken lock', () => {
  const native = {
    version: '1.0.0',
    integrity: 'sha512-x',
    optionalDependencies: { 'native-darwin-arm64': '1.0.0' },
  }
  const packages = {
    'node_modules/native': native,
    'node_modules/plain': { version: '1.0.0' },
    'node_modules/remote': {
      version: '1.0.0',
      integrity: 'sha512-x',
      resolved: 'https://registry.example/a',
    },
  }
  expect(findLockFaults({ packages })).toEqual([
    'node_modules/native 1.0.0 needs native-darwin-arm64, which the lock does not hold',
    'node_modules/plain has no integrity',
    'node_modules/remote names an address',
  ])
})
