// npm run bench -- growth [--streams=5,10,20,30] [--idle=100,1000,10000] [--sessions=1000,10000,100000] [--database=postgres] [--seconds=15]
// [--core=0]: how cost grows. Of the whole service with its streams, of connections with their number, and of the ledger with its sessions.

import { parseArgs } from 'node:util'
import { leaveCore } from '../end-to-end/people.ts'
import { exponentOf, lineThrough, type Point } from '../measure/numbers.ts'
import { growConnections, type IdleRow } from './connections.ts'
import { growLedger, type LedgerRow } from './ledger.ts'
import { growStreams, type StreamsRow } from './streams.ts'

export interface GrowthFigures {
  readonly streams: readonly StreamsRow[]
  readonly idle: readonly IdleRow[]
  readonly ledger: readonly LedgerRow[]
}

export async function run(args: readonly string[]): Promise<GrowthFigures> {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { ...string, default: '5,10,20,30' },
      idle: { ...string, default: '100,1000,10000' },
      sessions: { ...string, default: '1000,10000,100000' },
      database: { ...string, default: 'postgres' },
      seconds: { ...string, default: '15' },
      core: { ...string, default: '0' },
    },
  })
  const numbers = (list: string) => list.split(',').filter(Boolean).map(Number)
  const ledger = await growLedger(numbers(values.sessions), values.database)
  report('creation', ledger, one => [one.sessions, one.creationMs])
  report('usage', ledger, one => [one.sessions, one.usageMs])
  report('start-up', ledger, one => [one.sessions, one.startUpMs])
  report('verify', ledger, one => [one.sessions, one.verifyMs])
  const counts = numbers(values.streams)
  const idle = await growConnections(numbers(values.idle))
  report('CPU-ms per second', idle, one => [one.connections, one.cpuMsPerSecond])
  report('MB', idle, one => [one.connections, one.memoryMb])
  if (counts.length > 0) leaveCore(values.core)
  const streams = await growStreams(counts, Number(values.seconds), values.core)
  report('cores', streams, one => [one.streams, one.core])
  report('MB', streams, one => [one.streams, one.memoryMb])
  return { streams, idle, ledger }
}

function report<T>(what: string, rows: readonly T[], pointOf: (row: T) => Point): void {
  const points = rows.map(pointOf)
  const exponent = exponentOf(points)
  if (exponent === undefined) return
  const { slope, intercept } = lineThrough(points)
  console.log(
    `${what}: ${slope.toPrecision(3)} each, and ${intercept.toPrecision(3)} without any; exponent ${exponent.toFixed(2)}`,
  )
}
