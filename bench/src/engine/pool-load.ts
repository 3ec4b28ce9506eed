// The pool as the service uses it: streams in real time at a part of the measured capacity, with utterances and flushes as people make
// them. Measured from outside: how long a final and a first delta take, what memory a stream costs, what the engine's process costs.

import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { chunkSamples, type LookAhead } from '@sauti/protocol/audio'
import { openRecogniser, startEngineProcess } from '@sauti/server/recogniser/open-recogniser.js'
import type { Recogniser, RecogniserStream } from '@sauti/server/recogniser/port.js'
import { speech } from './clips.ts'

const MODEL = 'svc-asr-kikuyu-v1'
const FRAME_MS = 100
const FRAME_SAMPLES = 1600
const UTTERANCE_MS = [2300, 3100, 4700, 6100]
const SAMPLES_A_MS = 16
const PAGE_BYTES = 4096

export interface PoolUnderTest {
  readonly recogniser: Recogniser
  readonly engine: ChildProcess
}

export async function openPool(modelsDir: string): Promise<PoolUnderTest> {
  const engines: ChildProcess[] = []
  const recogniser = await openRecogniser(
    {
      modelsDir,
      recogniserWorkers: 1,
      recogniserThreads: 1,
      executionProvider: 'cpu',
      maxStreams: undefined,
      engineWaitMs: 10_000,
    },
    {
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      metrics: { capacity: () => undefined, step: () => undefined, engineLost: () => undefined },
      startProcess: data => {
        engines.push(startEngineProcess(data))
        return engines.at(-1)!
      },
    },
  )
  return { recogniser, engine: engines[0]! }
}

export interface LoadResult {
  readonly streams: number
  readonly finalMs: readonly number[]
  readonly deltaMs: readonly number[]
  readonly cpuShare: number
}

/** As many people as the pool admits with this look-ahead speak for so long. */
export async function speakAtOnce(
  { recogniser, engine }: PoolUnderTest,
  lookAhead: LookAhead,
  durationMs: number,
): Promise<LoadResult> {
  const streams: RecogniserStream[] = []
  while (recogniser.openStreams < recogniser.capacity) {
    streams.push(await recogniser.open(MODEL, { lookAhead, phrases: [] }))
  }
  const finalMs: number[] = []
  const deltaMs: number[] = []
  const cpuBefore = processCpuMs(engine.pid!)
  const began = performance.now()
  const speakers = streams.map((stream, i) =>
    speak(stream, i, lookAhead, began + durationMs, finalMs, deltaMs),
  )
  await Promise.all(speakers)
  const cpuShare = (processCpuMs(engine.pid!) - cpuBefore) / (performance.now() - began)
  return { streams: streams.length, finalMs, deltaMs, cpuShare }
}

async function speak(
  stream: RecogniserStream,
  index: number,
  lookAhead: LookAhead,
  untilMs: number,
  finalMs: number[],
  deltaMs: number[],
): Promise<void> {
  const chunk = chunkSamples(lookAhead)
  let spokenSamples = 0
  await wait((index * 137) % (chunk / SAMPLES_A_MS))
  for (let utterance = index; performance.now() < untilMs; utterance++) {
    const audio = speech(UTTERANCE_MS[utterance % UTTERANCE_MS.length]! * SAMPLES_A_MS)
    const answer = readAnswer(stream)
    const completedAt = await say(stream, audio, chunk)
    const flushedAt = performance.now()
    stream.flush()
    const { firstDelta, finalAt } = await answer
    finalMs.push(finalAt - flushedAt)
    if (firstDelta !== undefined) {
      const heard = Math.round((firstDelta.audioMs * SAMPLES_A_MS - spokenSamples) / chunk)
      deltaMs.push(firstDelta.at - completedAt[heard - 1]!)
    }
    spokenSamples += audio.length
  }
  stream.close()
}

/** Sends frames as a microphone does; tells when each chunk was complete. */
async function say(stream: RecogniserStream, audio: Int16Array, chunk: number): Promise<number[]> {
  const completedAt: number[] = []
  const began = performance.now()
  for (let at = 0, i = 1; at < audio.length; at += FRAME_SAMPLES, i++) {
    const frame = audio.slice(at, at + FRAME_SAMPLES)
    stream.push(frame)
    while (completedAt.length < Math.floor((at + frame.length) / chunk)) completedAt.push(performance.now())
    await wait(Math.max(0, began + i * FRAME_MS - performance.now()))
  }
  return completedAt
}

async function readAnswer(stream: RecogniserStream) {
  let firstDelta: { at: number; audioMs: number } | undefined
  for await (const event of stream.events) {
    if (event.type === 'delta') firstDelta ??= { at: performance.now(), audioMs: event.audioMs }
    if (event.type === 'final') return { firstDelta, finalAt: performance.now() }
  }
  throw new Error('the stream ended without a final')
}

/** Memory that one more stream in the middle of an utterance adds to the engine's process, in bytes. */
export async function memoryAStream({ recogniser, engine }: PoolUnderTest, streams: number): Promise<number> {
  const open = async () => {
    const stream = await recogniser.open(MODEL, { lookAhead: 13, phrases: [] })
    stream.push(speech(3 * 17_920))
    for await (const event of stream.events)
      if (event.type === 'progress' && stream.queuedSamples === 0) break
    return stream
  }
  const first = await open()
  const before = residentBytes(engine.pid!)
  const others = []
  for (let i = 0; i < streams; i++) others.push(await open())
  const grown = residentBytes(engine.pid!) - before
  for (const stream of [first, ...others]) stream.close()
  return grown / streams
}

/** User and system time of another process; ticks of 10 ms. */
function processCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
}
