// What idle connections cost either subject, each pinged once while they are watched.

import { setTimeout as wait } from 'node:timers/promises'
import { connectMany, countPings, disconnectAll } from './load.ts'
import { type SubjectName, withSubject } from './subject-process.ts'
import { PING_INTERVAL_SECONDS } from './subject-terms.ts'

/** Time for connections to settle before they are measured. */
export const SETTLE_MS = 2_000

/** Per connection. */
export interface IdleFigures {
  /** Must be 1, or the CPU time is not that of the pings. */
  readonly pingsEach: number
  readonly cpuUsPerSecond: number
  readonly rssKiB: number
  readonly heapKiB: number
}

export function measureIdle(name: SubjectName, count: number): Promise<IdleFigures> {
  return withSubject(name, async subject => {
    const empty = await subject.ask('collect garbage and measure')
    const sockets = await connectMany(subject, count)
    await wait(SETTLE_MS)
    const before = await subject.ask('collect garbage and measure')
    const pings = countPings(sockets)
    await wait(PING_INTERVAL_SECONDS * 1000)
    const after = await subject.ask('measure')
    const pingsEach = pings() / count
    await disconnectAll(sockets)
    return {
      pingsEach,
      cpuUsPerSecond: ((after.cpuMs - before.cpuMs) * 1000) / count / PING_INTERVAL_SECONDS,
      rssKiB: (before.rssBytes - empty.rssBytes) / count / 1024,
      heapKiB: (before.heapBytes + before.nativeBytes - empty.heapBytes - empty.nativeBytes) / count / 1024,
    }
  })
}
