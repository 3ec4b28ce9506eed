// npm run bench -- growth [--streams=5,10,20,30] [--idle=100,1000,10000] [--seconds=15] [--core=0]: how the cost of the whole service grows
// with its streams, and that of its connections with their number. A straight line through the figures: slope and intercept.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connectMany, disconnectAll } from '../stream/load.ts'
import { startSubject } from '../stream/subject-process.ts'
import { PING_INTERVAL_SECONDS } from '../stream/subject-terms.ts'
import { startSauti } from './contender.ts'
import { leaveCore, People } from './people.ts'

/** For connections to come to rest before they are measured. */
const SETTLE_MS = 2000

type Point = readonly [x: number, y: number]

export async function run(args: readonly string[]): Promise<void> {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { ...string, default: '5,10,20,30' },
      idle: { ...string, default: '100,1000,10000' },
      seconds: { ...string, default: '15' },
      core: { ...string, default: '0' },
    },
  })
  const numbers = (list: string) => list.split(',').filter(Boolean).map(Number)
  leaveCore(values.core)
  await growStreams(numbers(values.streams), Number(values.seconds), values.core)
  await growConnections(numbers(values.idle))
}

async function growStreams(counts: readonly number[], seconds: number, core: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-growth-'))
  const service = await startSauti(core, folder)
  const people = new People(service)
  const points: { core: Point[]; memory: Point[] } = { core: [], memory: [] }
  console.log('streams | core | of it engine | memory MB')
  for (const count of counts) {
    await people.arrive(count - people.count)
    const { front, engines } = await people.measure(wait(seconds * 1000))
    points.core.push([people.count, front + engines])
    points.memory.push([people.count, service.memoryMb()])
    const cells = [people.count, (front + engines).toFixed(3), engines.toFixed(3)]
    console.log([...cells, service.memoryMb().toFixed()].join(' | '))
  }
  await people.leave()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
  report('core per stream', line(points.core))
  report('MB per stream', line(points.memory))
}

/** The stream part alone, on TLS, every connection pinged once while it is watched. */
async function growConnections(counts: readonly number[]): Promise<void> {
  const points: { cpu: Point[]; memory: Point[] } = { cpu: [], memory: [] }
  console.log('idle connections | CPU-ms per second | resident MB')
  for (const count of counts) {
    const subject = await startSubject('sauti')
    const sockets = await connectMany(subject, count)
    await wait(SETTLE_MS)
    const before = await subject.ask('collect garbage and measure')
    await wait(PING_INTERVAL_SECONDS * 1000)
    const after = await subject.ask('measure')
    const cpuMs = (after.cpuMs - before.cpuMs) / PING_INTERVAL_SECONDS
    points.cpu.push([count, cpuMs])
    points.memory.push([count, before.rssBytes / 2 ** 20])
    console.log([count, cpuMs.toFixed(1), (before.rssBytes / 2 ** 20).toFixed()].join(' | '))
    await disconnectAll(sockets)
    await subject.stop()
  }
  report('CPU-ms per second and connection', line(points.cpu))
  report('MB per connection', line(points.memory))
}

/** Least squares. */
function line(points: readonly Point[]): { slope: number; intercept: number } {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)))
  const slope = covariance / mean(points.map(([x]) => (x - meanX) ** 2))
  return { slope, intercept: meanY - slope * meanX }
}

function report(what: string, { slope, intercept }: { slope: number; intercept: number }): void {
  console.log(`${what}: ${slope.toPrecision(3)}, and ${intercept.toPrecision(3)} without any`)
}
