// Runs programs for the other scripts, from the root of the repository.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Resolves to true when the program ends well. Its output is shown, or with `quiet` only when it ends badly. */
export async function run(command, args, { env = {}, quiet = false, cwd = ROOT } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
  })
  const said = []
  child.stdout?.on('data', chunk => said.push(chunk))
  child.stderr?.on('data', chunk => said.push(chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) process.stderr.write(Buffer.concat(said))
  return code === 0
}

/** Exactly what the lock file says, or an error. */
export function installPackages() {
  return run('npm', ['ci', '--no-progress'], { quiet: true })
}

/** Outside of the workspace, because only its own tests need them, and they are large. */
export function installLiveKit() {
  const cwd = join(ROOT, 'integrations/livekit')
  return run('npm', ['ci', '--no-progress', '--prefer-offline'], { quiet: true, cwd })
}

/** Apart from the build, which works without those packages. */
export function checkLiveKit() {
  return run('npx', ['tsc', '-p', 'integrations/livekit/test'], { quiet: true })
}

/** The service and everything in front of it, and the types of the tests. */
export function build() {
  return run('npm', ['run', '--silent', 'build'], { quiet: true })
}

/** What is needed to run it. */
export function buildService() {
  return run('npm', ['run', '--silent', 'build:service'], { quiet: true })
}
