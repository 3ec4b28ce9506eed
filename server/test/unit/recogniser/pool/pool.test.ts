import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '@sauti/protocol/errors'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startEngineProcess } from '#server/recogniser/open-recogniser.js'
import type { EngineData, FromEngine } from '#server/recogniser/pool/messages.js'
import type { Recogniser, RecogniserEvent, RecogniserStream } from '#server/recogniser/port.js'
import { readUntil } from '../../../support/recogniser/event-reader.ts'
import { finalOf, KIKUYU, openTiny } from '../../../support/recogniser/open-tiny.ts'
import { babble } from '../../../support/recogniser/test-audio.ts'

const SETTINGS = { lookAhead: 13, phrases: [] } as const

let recogniser: Recogniser
afterEach(() => recogniser.close())

/** How a stream ended: what it said last, or the code of its error. */
async function outcome(stream: RecogniserStream): Promise<string> {
  try {
    const events = await readUntil(stream, event => event.type === 'final')
    return events.at(-1)!.type
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error)
  }
}

describe('the pool', () => {
  it('is warm when it is opened: both models, every look-ahead, a measured capacity', async () => {
    const capacity = vi.fn()
    recogniser = await openTiny(
      {},
      { metrics: { capacity, step: () => undefined, engineLost: () => undefined } },
    )
    expect(recogniser.models).toEqual(['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'])
    expect(recogniser.lookAheads(KIKUYU)).toEqual([13, 6, 3, 0])
    expect(recogniser.capacity).toBeGreaterThan(1)
    expect(capacity).toHaveBeenLastCalledWith(recogniser.capacity, 0)
  })

  it('has its engines started before the event loop turns, which the modules of the service then keep busy', async () => {
    const startProcess = vi.fn(startEngineProcess)
    const opening = openTiny({}, { startProcess })
    await turnOfTheLoop()
    const started = startProcess.mock.calls.length
    recogniser = await opening
    expect(started).toBe(1)
  })

  it('answers in order: flush, then reset, then flush; a reset drops only what was not flushed', async () => {
    recogniser = await openTiny()
    const stream = await recogniser.open(KIKUYU, SETTINGS)
    stream.push(babble(40_000))
    stream.flush()
    stream.push(babble(100_000))
    stream.reset()
    stream.flush()
    const answers: RecogniserEvent[] = []
    await readUntil(stream, event => {
      if (event.type === 'final' || event.type === 'reset') answers.push(event)
      return answers.length === 3
    })
    expect(answers.map(answer => answer.type)).toEqual(['final', 'reset', 'final'])
    expect(answers[0]).toMatchObject({ audioMs: 2500 })
    expect(answers[2]).toMatchObject({ text: '', words: [], audioMs: 8750 })
    expect(stream.queuedSamples).toBe(0)
  })

  it('gives the words of every delta where they are asked for, with times within what was heard', async () => {
    recogniser = await openTiny()
    const stream = await recogniser.open(KIKUYU, { ...SETTINGS, interimWords: true })
    for (const samples of [100_000, 100_000]) {
      stream.push(babble(samples))
      const { deltas, final } = await finalOf(stream)
      expect(deltas.length).toBeGreaterThan(0)
      for (const { text, words, audioMs } of deltas) {
        expect(words.map(word => word.text).join(' ')).toBe(text.trim())
        expect(Math.max(...words.map(word => word.end_ms))).toBeLessThanOrEqual(audioMs)
      }
      // Finished words stay what they are.
      const finished = deltas.at(-1)!.words.slice(0, -1)
      expect(final.words.slice(0, finished.length)).toEqual(finished)
    }
  })

  it('counts what is queued, up when pushed and down when heard', async () => {
    recogniser = await openTiny()
    const stream = await recogniser.open(KIKUYU, SETTINGS)
    stream.push(babble(60_000))
    expect(stream.queuedSamples).toBe(60_000)
    await readUntil(
      stream,
      event => event.type === 'progress' && stream.queuedSamples === 60_000 - 3 * 17_920,
    )
    await finalOf(stream)
    expect(stream.queuedSamples).toBe(0)
  })

  it('changes look-ahead between utterances', async () => {
    recogniser = await openTiny()
    const stream = await recogniser.open(KIKUYU, SETTINGS)
    stream.configure({ lookAhead: 0, phrases: [] })
    stream.push(babble(1280))
    await readUntil(stream, event => event.type === 'progress')
    expect(stream.queuedSamples).toBe(0)
  })

  it('reports nothing more after close and frees the slot at once', async () => {
    recogniser = await openTiny()
    const stream = await recogniser.open(KIKUYU, SETTINGS)
    const other = await recogniser.open(KIKUYU, SETTINGS)
    const told = vi.fn()
    stream.listen({ onEvent: told, onLost: told })
    expect(recogniser.openStreams).toBe(2)
    stream.push(babble(200_000))
    stream.flush()
    stream.close()
    stream.close()
    expect(recogniser.openStreams).toBe(1)
    await finalOf(other)
    expect(told).not.toHaveBeenCalled()
  })

  it('lets a stream wait for a slot, and refuses it when none gets free in time', async () => {
    recogniser = await openTiny({ maxStreams: 1, engineWaitMs: 100 })
    const first = await recogniser.open(KIKUYU, SETTINGS)
    await expect(recogniser.open(KIKUYU, SETTINGS)).rejects.toMatchObject({ code: 'engine_unavailable' })
    const second = recogniser.open(KIKUYU, SETTINGS)
    first.close()
    expect(await second).toBeDefined()
  })

  it('stops waiting when the caller gives up', async () => {
    recogniser = await openTiny({ maxStreams: 1, engineWaitMs: 60_000 })
    await recogniser.open(KIKUYU, SETTINGS)
    const patience = new AbortController()
    const waiting = recogniser.open(KIKUYU, SETTINGS, patience.signal)
    patience.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'engine_unavailable' })
  })

  it('counts a stream by its part of the core: a shorter look-ahead and phrases need more', async () => {
    // This engine says that a stream costs a tenth of a core, with phrases two tenths, with look-ahead 0 five. Nine are lent.
    recogniser = await openTiny({}, { startProcess: () => actedEngine('priced'), cores: 2 })
    expect(recogniser.capacity).toBe(9)
    const stream = await recogniser.open(KIKUYU, SETTINGS)
    expect(recogniser.capacity).toBe(9)
    stream.configure({ lookAhead: 0, phrases: [] })
    expect(recogniser.capacity).toBe(5)
    stream.configure({ lookAhead: 13, phrases: ['Kamau'] })
    expect(recogniser.capacity).toBe(8)
    stream.close()
    expect(recogniser.capacity).toBe(9)
  })

  it('admits fewer where the machine gives less than it did at the start', async () => {
    recogniser = await openTiny({}, { startProcess: () => actedEngine('slow'), cores: 2 })
    expect(recogniser.capacity).toBe(19)
    const streams = await Promise.all(Array.from({ length: 6 }, () => recogniser.open(KIKUYU, SETTINGS)))
    await vi.waitFor(
      () => {
        for (const stream of streams) stream.push(babble(17_920))
        expect(recogniser.capacity).toBe(8)
      },
      { timeout: 60_000, interval: 100 },
    )
  })
})

describe('a lost engine', () => {
  it('killed in the middle of 20 streams: exactly its own fail, and another is warm within 3 s', async () => {
    const processes: ChildProcess[] = []
    const warm = new Set<ChildProcess>()
    const engineLost = vi.fn()
    recogniser = await openTiny(
      { recogniserWorkers: 2 },
      {
        startProcess: data => {
          const started = startEngineProcess(data)
          started.on('message', ({ type }: FromEngine) => type === 'warm' && warm.add(started))
          processes.push(started)
          return started
        },
        metrics: { capacity: () => undefined, step: () => undefined, engineLost },
      },
    )
    const streams = await Promise.all(Array.from({ length: 20 }, () => recogniser.open(KIKUYU, SETTINGS)))
    for (const stream of streams) stream.push(babble(10 * 17_920))
    const killedAt = performance.now()
    processes[0]!.kill('SIGKILL')
    const back = vi.waitFor(() => expect(warm.size).toBe(3), 90_000).then(() => performance.now() - killedAt)
    for (const stream of streams) stream.flush()
    const outcomes = await Promise.all(streams.map(outcome))
    const survivors = recogniser.openStreams
    expect(outcomes.filter(end => end === 'final')).toHaveLength(survivors)
    expect(outcomes.filter(end => end === 'engine_unavailable')).toHaveLength(20 - survivors)
    // The least loaded engine gets the next stream, so the two had about the same number.
    expect(Math.abs(survivors - 10)).toBeLessThan(4)
    for (const stream of streams) stream.close()
    const backMs = await back
    expect(processes).toHaveLength(3)
    expect(backMs - starvedMs(processes[2]!)).toBeLessThan(3000)
    expect(engineLost).toHaveBeenCalledOnce()
    const again = await recogniser.open(KIKUYU, SETTINGS)
    again.push(babble(30_000))
    expect((await finalOf(again)).final.audioMs).toBe(1875)
  }, 120_000)

  it('that hangs is given up and replaced', async () => {
    let started = 0
    recogniser = await openTiny(
      {},
      {
        startProcess: data => (started++ === 0 ? actedEngine('hanging') : startEngineProcess(data)),
        // Long enough that the engine in its place, a real one, is not given up on a busy machine.
        hangMs: 3000,
      },
    )
    const stream = await recogniser.open(KIKUYU, SETTINGS)
    stream.push(babble(17_920))
    expect(await outcome(stream)).toBe('engine_unavailable')
    stream.close()
    const again = await recogniser.open(KIKUYU, SETTINGS)
    again.push(babble(17_920))
    expect((await finalOf(again)).final.audioMs).toBe(1120)
  })

  it('that cannot start makes the opening fail and says why, when its process is gone', async () => {
    recogniser = await openTiny()
    const engine = actedEngine('dying')
    await expect(openTiny({}, { startProcess: () => engine })).rejects.toThrow('no such graph')
    expect(hasEnded(engine)).toBe(true)
  })

  it('is replaced when its process is gone, however long that takes', async () => {
    const hanging = actedEngine('hanging')
    const kill = hanging.kill.bind(hanging)
    hanging.kill = signal => {
      setTimeout(() => kill(signal), 1000)
      return true
    }
    const wasGone: boolean[] = []
    const replace = (data: EngineData) => {
      wasGone.push(hasEnded(hanging))
      return startEngineProcess(data)
    }
    const startProcess = vi.fn(replace).mockReturnValueOnce(hanging)
    recogniser = await openTiny({}, { startProcess, hangMs: 3000 })
    await vi.waitFor(() => expect(wasGone).not.toHaveLength(0), 90_000)
    expect(wasGone[0]).toBe(true)
  }, 120_000)
})

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** How long a process wanted to run and other processes had the cores: no time of its own. */
function starvedMs({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/schedstat`
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[1]) / 1e6 : 0
}

function actedEngine(kind: 'hanging' | 'dying' | 'priced' | 'slow'): ChildProcess {
  const process = fork(fileURLToPath(new URL(`../../../support/faults/${kind}-engine.mjs`, import.meta.url)))
  process.send({ type: 'start' })
  return process
}
