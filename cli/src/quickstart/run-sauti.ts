// Runs this command again as a process of its own, as a person would.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Failure } from '../command.ts'

export const SAUTI = fileURLToPath(new URL('../../bin/sauti.js', import.meta.url))

/** The answer of a command as an object. */
export async function runSauti<T>(args: readonly string[], env: Record<string, string> = {}): Promise<T> {
  const child = spawn(process.execPath, [SAUTI, ...args, '--json'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Failure(`sauti ${args[0]} failed`)
  return JSON.parse(output)
}
