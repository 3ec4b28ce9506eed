// Runs programs for the other scripts, from the root of the repository.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Resolves to true when the program ends well. Its output is shown, or with `quiet` only when it ends badly. */
export async function run(command, args, { env = {}, quiet = false } = {}) {
  const child = spawn(command, args, {
    cwd: ROOT,
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

/** Leaves the lock file as it is: it names no registry and no platform's own packages. */
export function installPackages() {
  const env = { ONNXRUNTIME_NODE_INSTALL: 'skip' }
  return run('npm', ['install', '--no-save', '--no-progress'], { env, quiet: true })
}

export function build() {
  return run('npm', ['run', '--silent', 'build'], { quiet: true })
}
