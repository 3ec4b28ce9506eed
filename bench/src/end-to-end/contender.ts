// A service under test: a process, with its children, on one core.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Announcement } from '../floods/service.ts'
import { createSession } from '../floods/session.ts'
import type { Address } from './speaker.ts'

const TICK_MS = 10

export interface Contender {
  readonly name: string
  /** Rejects with a Refusal where it takes nobody else. */
  address(model: string): Promise<Address>
  /** Used so far by its processes: what a client meets, and the engines behind it. */
  cpuMs(): { readonly front: number; readonly engines: number }
  memoryMb(): number
  stop(): Promise<void>
}

export async function startSauti(core: string, dataDir: string): Promise<Contender> {
  const child = pinned(core, '../floods/service.js', [], {
    SAUTI_DATA_DIR: dataDir,
    SAUTI_HOST: '127.0.0.1',
    SAUTI_PORT: '0',
    SAUTI_SESSION_CREATIONS_PER_MINUTE: '100000',
  })
  const announcement = (await announced(child)) as Announcement
  return {
    name: 'sauti',
    ...processOf(child),
    address: model => createSession(announcement, model),
  }
}

export async function startSherpa(core: string, modelsDir: string): Promise<Contender> {
  const child = pinned(core, './sherpa-server.js', [modelsDir], {})
  const { port } = (await announced(child)) as { port: number }
  return {
    name: 'sherpa-onnx',
    ...processOf(child),
    address: async model => ({ url: `ws://127.0.0.1:${port}/${model}`, protocols: [] }),
  }
}

function pinned(core: string, file: string, args: readonly string[], env: Record<string, string>) {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execPath: 'taskset',
    execArgv: ['-c', core, process.execPath],
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
  const pids = () => family(child.pid!)
  return {
    cpuMs: () => ({
      front: cpuMsOf(child.pid!),
      engines: pids()
        .slice(1)
        .reduce((sum, pid) => sum + cpuMsOf(pid), 0),
    }),
    memoryMb: () => pids().reduce((sum, pid) => sum + memoryKilobytes(pid), 0) / 1024,
    async stop() {
      const exit = once(child, 'exit')
      child.send('stop')
      await exit
    },
  }
}

function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return [pid, ...children.filter(child => child !== '').flatMap(child => family(Number(child)))]
}

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Pages that several processes share count in parts. */
function memoryKilobytes(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))!
  return Number(kilobytes)
}
