// The service of the quickstart, in a process of its own.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { LEAN_MEMORY } from '@sauti/server/settings/lean-memory.js'
import { Failure } from '../command.ts'
import { SAUTI } from './run-sauti.ts'

export interface RunningService {
  readonly url: string
  /** Its exit code. */
  readonly ended: Promise<number>
  stop(): Promise<void>
}

export async function startService(): Promise<RunningService> {
  const child = spawn(process.execPath, [SAUTI, 'serve'], {
    env: { ...LEAN_MEMORY, ...process.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => Number(code ?? 1))
  passOnSignals(child)
  const ready = await Promise.race([readUntilReady(child.stdout), ended])
  if (typeof ready === 'number') throw new Failure('the service did not start')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { url: ready.publicUrl, ended, stop }
}

/** Ctrl-C reaches the service too: it drains and ends, and then so does the quickstart. */
function passOnSignals(child: ChildProcess): void {
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
}

/** Keeps reading after that, and shows what went wrong. */
function readUntilReady(output: Readable): Promise<{ publicUrl: string }> {
  return new Promise(resolve => {
    createInterface(output).on('line', line => {
      const entry = JSON.parse(line)
      if (entry.msg === 'the service is ready') resolve(entry)
      if (entry.level === 'error' || entry.level === 'fatal') console.error(line)
    })
  })
}
