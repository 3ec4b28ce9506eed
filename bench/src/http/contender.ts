// A server in a process of its own, so that it shares nothing with the load but the machine.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Announcement, Orders } from './announce.ts'

export interface Contender extends Announcement {
  order(order: keyof Orders): void
  stop(): Promise<void>
}

export async function startContender(
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<Contender> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), {
    env: { PATH: process.env.PATH, ...env },
    // The log is written but not read.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const announcement = await Promise.race([once(child, 'message'), failed(child)])
  return {
    ...(announcement[0] as Announcement),
    order: order => child.send(order),
    stop: () => stopChild(child),
  }
}

async function failed(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`a server did not start (code ${code})`)
}

async function stopChild(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.send('stop')
  await exit
}
