// A service under test: a process, with its children, on one core or on all.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Address } from '../measure/dial.ts'
import { cpuMsUsedBy, memoryMbUsedBy } from '../measure/processes.ts'
import type { BareCost } from './bare-engine.ts'

export interface Contender {
  readonly name: string
  /** From the start of its process until it said that it is ready, and the CPU time of all its processes until then. */
  readonly readyMs: number
  readonly readyCpuMs: number
  /** Rejects with a Refusal where it accepts no more. */
  address(model: string): Promise<Address>
  /** Used so far by its processes: the one that clients connect to, and the engines. */
  cpuMs(): { readonly front: number; readonly engines: number }
  memoryMb(): number
  stop(): Promise<void>
}

/** Without a core it runs on all of them. */
export async function startSherpa(core: string | undefined, modelsDir: string): Promise<Contender> {
  const began = performance.now()
  const child = start(core, './sherpa-server.js', [modelsDir])
  const { port } = (await announced(child)) as { port: number }
  return {
    name: 'sherpa-onnx',
    ...factsOf(child, performance.now() - began),
    address: async model => ({ url: `ws://127.0.0.1:${port}/${model}`, protocols: [] }),
    async stop() {
      const exit = once(child, 'exit')
      child.send('stop')
      await exit
    },
  }
}

/** What a second of speech costs the engine alone, on the same core. */
export async function measureBareEngine(
  core: string,
  modelsDir: string,
  utterances: number,
): Promise<BareCost> {
  const child = start(core, './bare-engine.js', [modelsDir, String(utterances)])
  return (await announced(child)) as BareCost
}

/** What can be said of any contender, to be asked for when it has just said that it is ready. */
export function factsOf(child: ChildProcess, readyMs: number) {
  const cpuMs = () => cpuMsUsedBy(child.pid!)
  const { front, engines } = cpuMs()
  return { readyMs, readyCpuMs: front + engines, cpuMs, memoryMb: () => memoryMbUsedBy(child.pid!) }
}

function start(core: string | undefined, file: string, args: readonly string[]) {
  const pinned = core !== undefined && { execPath: 'taskset', execArgv: ['-c', core, process.execPath] }
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    ...pinned,
    env: { PATH: process.env.PATH, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH },
  })
}

async function announced(child: ChildProcess): Promise<unknown> {
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended: ${code}`)))
  failed.catch(() => undefined)
  const [message] = await Promise.race([once(child, 'message'), failed])
  return message
}
