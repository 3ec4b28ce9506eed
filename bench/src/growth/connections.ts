// How the cost of idle connections grows with their number: the stream part alone, on TLS, every connection pinged once while it is measured.

import { round } from '../measure/numbers.ts'
import { measureIdle } from '../stream/idle.ts'

export interface IdleRow {
  readonly connections: number
  readonly cpuMsPerSecond: number
  /** What they added to the process. */
  readonly memoryMb: number
  /** Less than 1 on a machine that was too busy: then the CPU time does not count. Not known of older results. */
  readonly pingsEach?: number
}

export async function growConnections(counts: readonly number[]): Promise<IdleRow[]> {
  const rows: IdleRow[] = []
  if (counts.length > 0) console.log('idle connections | CPU-ms per second | MB that they added | pings each')
  for (const connections of counts) {
    const { cpuUsPerSecond, rssKiB, pingsEach } = await measureIdle('sauti', connections)
    const row = {
      connections,
      cpuMsPerSecond: round((cpuUsPerSecond * connections) / 1000, 2),
      memoryMb: round((rssKiB * connections) / 1024, 1),
      pingsEach: round(pingsEach, 2),
    }
    rows.push(row)
    console.log(Object.values(row).join(' | '))
  }
  return rows
}
