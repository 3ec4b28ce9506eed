// A service under test: a process, with its children, on one core.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Announcement } from '../floods/service.ts'
import { createSession, type ServiceAddress } from '../floods/session.ts'
import type { Address } from '../measure/dial.ts'
import { cpuMsUsedBy, memoryMbUsedBy } from '../measure/processes.ts'
import type { BareCost } from './bare-engine.ts'

export interface Contender {
  readonly name: string
  /** Rejects with a Refusal where it accepts no more. */
  address(model: string): Promise<Address>
  /** Used so far by its processes: the one that clients connect to, and the engines. */
  cpuMs(): { readonly front: number; readonly engines: number }
  memoryMb(): number
  stop(): Promise<void>
}

/** Our service, with what a client needs to know. */
export interface Sauti extends Contender {
  readonly service: ServiceAddress
  readonly pid: number
}

/** Without a core it runs on all of them. */
export async function startSauti(core: string | undefined, dataDir: string): Promise<Sauti> {
  const child = start(core, '../floods/service.js', [], {
    SAUTI_DATA_DIR: dataDir,
    SAUTI_HOST: '127.0.0.1',
    SAUTI_PORT: '0',
    SAUTI_SESSION_CREATIONS_PER_MINUTE: '100000',
  })
  const announcement = (await announced(child)) as Announcement
  return {
    name: 'sauti',
    ...processOf(child),
    pid: child.pid!,
    service: announcement,
    address: model => createSession(announcement, model),
  }
}

export async function startSherpa(core: string | undefined, modelsDir: string): Promise<Contender> {
  const child = start(core, './sherpa-server.js', [modelsDir], {})
  const { port } = (await announced(child)) as { port: number }
  return {
    name: 'sherpa-onnx',
    ...processOf(child),
    address: async model => ({ url: `ws://127.0.0.1:${port}/${model}`, protocols: [] }),
  }
}

/** What a second of speech costs the engine alone, on the same core. */
export async function measureBareEngine(
  core: string,
  modelsDir: string,
  utterances: number,
): Promise<BareCost> {
  const child = start(core, './bare-engine.js', [modelsDir, String(utterances)], {})
  return (await announced(child)) as BareCost
}

function start(core: string | undefined, file: string, args: readonly string[], env: Record<string, string>) {
  const pinned = core !== undefined && { execPath: 'taskset', execArgv: ['-c', core, process.execPath] }
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    ...pinned,
    env: { PATH: process.env.PATH, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH, ...env },
  })
}

async function announced(child: ChildProcess): Promise<unknown> {
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended: ${code}`)))
  failed.catch(() => undefined)
  const [message] = await Promise.race([once(child, 'message'), failed])
  return message
}

function processOf(child: ChildProcess) {
  return {
    cpuMs: () => cpuMsUsedBy(child.pid!),
    memoryMb: () => memoryMbUsedBy(child.pid!),
    async stop() {
      const exit = once(child, 'exit')
      child.send('stop')
      await exit
    },
  }
}
