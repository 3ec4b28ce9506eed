// The service as a process of its own, so that a test can kill it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface ServiceProcess {
  readonly port: number
  readonly ca: string
  readonly logLines: readonly string[]
  /** Resolves with the exit code, null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Resolves when it is ready. */
export async function spawnService(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const logLines: string[] = []
  const port = await readPort(child, logLines)
  const ca = readFileSync(join(env.SAUTI_DATA_DIR!, 'tls', 'ca.pem'), 'utf8')
  const exited = once(child, 'exit')
  return {
    port,
    ca,
    logLines,
    async end(signal) {
      child.kill(signal)
      const [code] = await exited
      return code as number | null
    },
  }
}

function readPort(child: ChildProcess, logLines: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the service ended with ${code}: ${logLines.join('\n')}`)))
    createInterface({ input: child.stdout! }).on('line', line => {
      logLines.push(line)
      const { msg, port } = JSON.parse(line)
      if (msg === 'the service is ready') resolve(port)
    })
  })
}
