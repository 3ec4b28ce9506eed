// npm run bench -- stream [--streams=300] [--idle=2000] [--seconds=10] [--rounds=3]: what a connection costs the service beside
// what it costs a bare `ws` echo server, in the same run. Only the server's process is measured; TLS everywhere. Idle connections
// are watched for one ping interval, so that each is pinged once, whoever pings it.

import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type IdleFigures, measureIdle, SETTLE_MS } from './idle.ts'
import { connectMany, disconnectAll, FRAME_MS, startStreaming } from './load.ts'
import { SUBJECTS, type Subject, type SubjectName, withSubject } from './subject-process.ts'
import { PING_INTERVAL_SECONDS } from './subject-terms.ts'

const IDLE_ROUNDS = 2

interface StreamingFigures {
  readonly cpuUsPerFrame: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly framesPerSecond: number
}

/** Medians of the rounds. */
export interface StreamFigures {
  readonly streams: number
  readonly idle: number
  readonly cpuUsPerFrame: Record<SubjectName, number>
  readonly eventP50Ms: Record<SubjectName, number>
  readonly eventP99Ms: Record<SubjectName, number>
  readonly idleCpuUsPerSecond: Record<SubjectName, number>
  readonly idleRssKiB: Record<SubjectName, number>
}

export async function run(args: readonly string[]): Promise<StreamFigures> {
  const { streams, idle, seconds, rounds } = readOptions(args)
  console.log(
    `${streams} streaming connections with ${FRAME_MS} ms frames, ${seconds} s per round, ${rounds} rounds each`,
  )
  const streaming = await inTurns(rounds, name =>
    withSubject(name, subject => measureStreaming(subject, streams, seconds)),
  )
  for (const name of SUBJECTS) reportStreaming(name, streaming[name])
  reportRatio('CPU per frame', medianOf(streaming, 'cpuUsPerFrame'))

  console.log(`${idle} idle connections, ${PING_INTERVAL_SECONDS} s per round, ${IDLE_ROUNDS} rounds each`)
  const idling = await inTurns(IDLE_ROUNDS, name => measureIdle(name, idle))
  for (const name of SUBJECTS) idling[name].forEach(figures => void reportIdle(name, figures))
  reportRatio('CPU per connection', medianOf(idling, 'cpuUsPerSecond'))
  reportRatio('memory per connection', medianOf(idling, 'rssKiB'))
  return {
    streams,
    idle,
    cpuUsPerFrame: medianOf(streaming, 'cpuUsPerFrame'),
    eventP50Ms: medianOf(streaming, 'p50Ms'),
    eventP99Ms: medianOf(streaming, 'p99Ms'),
    idleCpuUsPerSecond: medianOf(idling, 'cpuUsPerSecond'),
    idleRssKiB: medianOf(idling, 'rssKiB'),
  }
}

function readOptions(args: readonly string[]): Record<'streams' | 'idle' | 'seconds' | 'rounds', number> {
  const string = { type: 'string' } as const
  const options = {
    streams: { ...string, default: '300' },
    idle: { ...string, default: '2000' },
    seconds: { ...string, default: '10' },
    rounds: { ...string, default: '3' },
  }
  const { values } = parseArgs({ args: [...args], options })
  return {
    streams: Number(values.streams),
    idle: Number(values.idle),
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
  }
}

/** Taking turns, each first as often as the other, so that a change of the machine's speed affects both. */
async function inTurns<T>(
  rounds: number,
  measure: (name: SubjectName) => Promise<T>,
): Promise<Record<SubjectName, T[]>> {
  const results: Record<SubjectName, T[]> = { bare: [], sauti: [] }
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? SUBJECTS : SUBJECTS.toReversed()
    for (const name of order) results[name].push(await measure(name))
  }
  return results
}

async function measureStreaming(subject: Subject, count: number, seconds: number): Promise<StreamingFigures> {
  const sockets = await connectMany(subject, count)
  const streaming = startStreaming(sockets)
  await wait(SETTLE_MS)
  streaming.take()
  const before = await subject.ask('measure')
  await wait(seconds * 1000)
  const after = await subject.ask('measure')
  const latencies = streaming.take().sort((a, b) => a - b)
  streaming.stop()
  await disconnectAll(sockets)
  return {
    cpuUsPerFrame: ((after.cpuMs - before.cpuMs) * 1000) / latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    framesPerSecond: latencies.length / seconds,
  }
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

function medianOf<K extends string>(
  results: Record<SubjectName, Record<K, number>[]>,
  field: K,
): Record<SubjectName, number> {
  return {
    bare: median(results.bare.map(one => one[field])),
    sauti: median(results.sauti.map(one => one[field])),
  }
}

function reportStreaming(name: SubjectName, rounds: readonly StreamingFigures[]): void {
  for (const { cpuUsPerFrame, p50Ms, p99Ms, framesPerSecond } of rounds) {
    console.log(
      `  ${name.padEnd(5)} ${cpuUsPerFrame.toFixed(1)} us CPU per frame, event latency p50 ${p50Ms.toFixed(1)} ms, ` +
        `p99 ${p99Ms.toFixed(1)} ms, ${framesPerSecond.toFixed(0)} frames/s`,
    )
  }
}

function reportIdle(name: SubjectName, { pingsEach, cpuUsPerSecond, rssKiB, heapKiB }: IdleFigures): void {
  console.log(
    `  ${name.padEnd(5)} ${cpuUsPerSecond.toFixed(1)} us CPU per second, ${rssKiB.toFixed(1)} KiB resident ` +
      `(${heapKiB.toFixed(1)} KiB of JavaScript) per connection; ${pingsEach.toFixed(2)} pings`,
  )
}

function reportRatio(what: string, { bare, sauti }: Record<SubjectName, number>): void {
  console.log(`  ${what}: ${(sauti / bare).toFixed(2)} x the bare server`)
}
