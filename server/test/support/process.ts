// The service as a process of its own, to be killed: `node server/dist/main.js` with the settings of a test.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(import.meta.resolve('#server/main.js'))

export interface ServiceProcess {
  readonly port: number
  readonly child: ChildProcess
  /** Sends a signal and waits for the end; the exit code, or null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Resolves when the process says that it is ready; rejects with what it said when it ends before. */
export async function startServiceProcess(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const child = spawnService(env)
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child, 'exit')
    child.kill(signal)
    return (await exited)[0] as number | null
  }
  return { port: await waitUntilReady(child), child, end }
}

/** How a start ends that cannot succeed. */
export async function failToStart(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; said: string }> {
  const child = spawnService(env)
  let said = ''
  child.stderr!.on('data', chunk => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  return { code, said }
}

function spawnService(env: Readonly<Record<string, string>>): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SAUTI_'))
  return spawn(process.execPath, [MAIN], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function waitUntilReady(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const said: string[] = []
    child.stderr!.on('data', chunk => said.push(String(chunk)))
    createInterface(child.stdout!).on('line', line => {
      said.push(line)
      const entry = JSON.parse(line) as { msg?: string; port?: number }
      if (entry.msg === 'the service is ready') resolve(entry.port!)
    })
    child.once('exit', code => reject(new Error(`the service ended with ${code}: ${said.join('\n')}`)))
  })
}
