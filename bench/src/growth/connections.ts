// How the cost of idle connections grows with their number: the stream part alone, on TLS, every connection pinged once while it is measured.

import { setTimeout as wait } from 'node:timers/promises'
import { round } from '../measure/numbers.ts'
import { connectMany, disconnectAll } from '../stream/load.ts'
import { startSubject } from '../stream/subject-process.ts'
import { PING_INTERVAL_SECONDS } from '../stream/subject-terms.ts'

/** Time for connections to settle before they are measured. */
const SETTLE_MS = 2000

export interface IdleRow {
  readonly connections: number
  readonly cpuMsPerSecond: number
  /** What they added to the process. */
  readonly memoryMb: number
}

export async function growConnections(counts: readonly number[]): Promise<IdleRow[]> {
  const rows: IdleRow[] = []
  if (counts.length > 0) console.log('idle connections | CPU-ms per second | MB that they added')
  for (const count of counts) {
    const row = await measureIdle(count)
    rows.push(row)
    console.log(Object.values(row).join(' | '))
  }
  return rows
}

async function measureIdle(connections: number): Promise<IdleRow> {
  const subject = await startSubject('sauti')
  const empty = await subject.ask('collect garbage and measure')
  const sockets = await connectMany(subject, connections)
  await wait(SETTLE_MS)
  const before = await subject.ask('collect garbage and measure')
  await wait(PING_INTERVAL_SECONDS * 1000)
  const after = await subject.ask('measure')
  await disconnectAll(sockets)
  await subject.stop()
  return {
    connections,
    cpuMsPerSecond: round((after.cpuMs - before.cpuMs) / PING_INTERVAL_SECONDS, 2),
    memoryMb: round((before.rssBytes - empty.rssBytes) / 2 ** 20, 1),
  }
}
