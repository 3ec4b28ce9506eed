// How a contender is measured: in a process of its own, round by round, so that the contenders take turns on the same machine and each
// one's CPU time is its own.

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Round {
  readonly lookAhead: number
  readonly chunks: number
}

/** Prepares a round, which does not count, and gives the work that does. It says how much text it found, so that an idle contender is noticed. */
export type Contender = (round: Round) => () => Promise<number>

export interface Measured {
  readonly cpuMs: number
  readonly characters: number
}

/** Runs in the contender's process. */
export function serveRounds(contender: Contender): void {
  process.on('message', async (round: Round) => {
    const work = contender(round)
    const before = process.cpuUsage()
    const characters = await work()
    const { user, system } = process.cpuUsage(before)
    process.send!({ cpuMs: (user + system) / 1000, characters } satisfies Measured)
  })
  process.on('disconnect', () => process.exit())
}

/** Runs in the bench's process. */
export function startContender(file: string, ...args: readonly string[]) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args)
  return {
    round: (round: Round) =>
      new Promise<Measured>((resolve, reject) => {
        const ended = () => reject(new Error(`${file} ended`))
        child.once('exit', ended)
        child.once('message', (measured: Measured) => {
          child.off('exit', ended)
          resolve(measured)
        })
        child.send(round)
      }),
    stop: () => child.disconnect(),
  }
}
