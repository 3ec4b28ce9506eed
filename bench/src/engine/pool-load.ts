// The pool as the service uses it: streams in real time at a part of the measured capacity, with utterances and flushes as people make
// them. Measured from outside: how long a final and a first delta take, what memory a stream costs, what the engine's process costs.

import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { chunkSamples, type LookAhead } from '@sauti/protocol/audio'
import { openRecogniser, startEngineProcess } from '@sauti/server/recogniser/open-recogniser.js'
import type { Recogniser, RecogniserStream } from '@sauti/server/recogniser/port.js'
import { speech } from './clips.ts'
import { randomNumbers } from './random.ts'

const MODEL = 'svc-asr-kikuyu-v1'
const FRAME_MS = 100
const FRAME_SAMPLES = 1600
/** All streams are open before the measurement starts. */
const ARRIVAL_MS = 3000
/** People do not end their sentences at the same moment: lengths are drawn, the same ones in every run. */
const SHORTEST_UTTERANCE_MS = 1000
const LONGEST_UTTERANCE_MS = 7000
const SAMPLES_A_MS = 16
const PAGE_BYTES = 4096

export interface PoolUnderTest {
  readonly recogniser: Recogniser
  readonly engine: ChildProcess
}

export async function openPool(modelsDir: string): Promise<PoolUnderTest> {
  const engines: ChildProcess[] = []
  const recogniser = await openRecogniser(
    { modelsDir },
    {
      startProcess: data => {
        engines.push(startEngineProcess(data))
        return engines.at(-1)!
      },
    },
  )
  return { recogniser, engine: engines[0]! }
}

/** How long they waited for a final and for a first delta, while all of them spoke. */
interface Waits {
  readonly fromMs: number
  readonly untilMs: number
  readonly finalMs: number[]
  readonly deltaMs: number[]
}

/** As many people as the pool admits with this look-ahead speak for this long. */
export async function speakAtOnce(
  { recogniser, engine }: PoolUnderTest,
  lookAhead: LookAhead,
  durationMs: number,
) {
  const streams: RecogniserStream[] = []
  while (recogniser.openStreams < recogniser.capacity) {
    streams.push(await recogniser.open(MODEL, { lookAhead, phrases: [] }))
  }
  const fromMs = performance.now() + ARRIVAL_MS
  const waits: Waits = { fromMs, untilMs: fromMs + durationMs, finalMs: [], deltaMs: [] }
  const speakers = streams.map((stream, i) => speak(stream, lookAhead, randomNumbers(i + 1), waits))
  await wait(ARRIVAL_MS)
  const before = cpuMs(engine.pid!)
  await wait(durationMs)
  const after = cpuMs(engine.pid!)
  await Promise.all(speakers)
  const engineShare = (after.engine - before.engine) / durationMs
  return {
    streams: streams.length,
    engineShare,
    othersShare: (after.machine - before.machine - (after.own - before.own)) / durationMs - engineShare,
    ...waits,
  }
}

async function speak(
  stream: RecogniserStream,
  lookAhead: LookAhead,
  random: () => number,
  waits: Waits,
): Promise<void> {
  const chunk = chunkSamples(lookAhead)
  let spokenSamples = 0
  await wait(random() * ARRIVAL_MS)
  while (performance.now() < waits.untilMs) {
    const lengthMs = SHORTEST_UTTERANCE_MS + random() * (LONGEST_UTTERANCE_MS - SHORTEST_UTTERANCE_MS)
    const audio = speech(Math.round(lengthMs * SAMPLES_A_MS))
    const answer = readAnswer(stream)
    const completedAt = await say(stream, audio, chunk)
    const flushedAt = performance.now()
    stream.flush()
    const { firstDelta, finalAt } = await answer
    if (flushedAt > waits.fromMs && flushedAt < waits.untilMs) {
      waits.finalMs.push(finalAt - flushedAt)
      const completed = completedAt[chunksHeard(firstDelta, spokenSamples, chunk) - 1]
      if (completed !== undefined) waits.deltaMs.push(firstDelta!.at - completed)
    }
    spokenSamples += audio.length
  }
  stream.close()
}

/** How many chunks of the utterance the first delta covers; 0 when there was none before the final. */
function chunksHeard(delta: { audioMs: number } | undefined, spokenBefore: number, chunk: number): number {
  return delta === undefined ? 0 : Math.round((delta.audioMs * SAMPLES_A_MS - spokenBefore) / chunk)
}

/** Sends frames as a microphone does; reports when each chunk was complete. */
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

/** Resolves with the next final, and with the first delta before it. */
function readAnswer(stream: RecogniserStream): Promise<Answer> {
  let firstDelta: Answer['firstDelta']
  return new Promise((resolve, reject) => {
    stream.listen({
      onEvent(event) {
        if (event.type === 'delta') firstDelta ??= { at: performance.now(), audioMs: event.audioMs }
        if (event.type === 'final') resolve({ firstDelta, finalAt: performance.now() })
      },
      onLost: reject,
    })
  })
}

interface Answer {
  readonly firstDelta: { readonly at: number; readonly audioMs: number } | undefined
  readonly finalAt: number
}

/** Memory that one more stream in the middle of an utterance adds to the engine's process, in bytes. */
export async function memoryAStream({ recogniser, engine }: PoolUnderTest, streams: number): Promise<number> {
  const open = async () => {
    const stream = await recogniser.open(MODEL, { lookAhead: 13, phrases: [] })
    stream.push(speech(3 * 17_920))
    await allHeard(stream)
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

/** Resolves when the engine has taken everything that was pushed. */
function allHeard(stream: RecogniserStream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.listen({
      onEvent: () => stream.queuedSamples === 0 && resolve(),
      onLost: reject,
    })
  })
}

/** What the engine, this process and all processes of the machine together have used so far. */
function cpuMs(enginePid: number) {
  const own = process.cpuUsage()
  return {
    engine: processCpuMs(enginePid),
    own: (own.user + own.system) / 1000,
    machine: cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0),
  }
}

/** User and system time of another process; ticks of 10 ms. */
function processCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
}
