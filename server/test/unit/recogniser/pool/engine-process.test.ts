import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { EngineProcess } from '#server/recogniser/pool/engine-process.js'
import { KIKUYU } from '../../../support/recogniser/open-tiny.ts'

const SETTINGS = { lookAhead: 13, phrases: [] } as const
const CHUNK_MS = 1120
const ignore = () => undefined

/** An engine whose steps take this long, on a clock of its own. */
function startEngine(stepMs: number) {
  let now = 0
  let streams = 0
  const process = Object.assign(new EventEmitter(), {
    connected: true,
    pid: 1,
    send: () => true,
    kill: () => true,
  })
  const engine = new EngineProcess(
    process as unknown as ChildProcess,
    {
      hangMs: 1000,
      admission: { maxLoad: 0.9, overhead: 1, serviceCpuMs: () => 0 },
      now: () => now,
    },
    { warm: ignore, lost: ignore, loadChanged: ignore, step: ignore },
  )
  // A flush hears half a chunk, so a stream needs the same part of the core whether it is flushed or not.
  const cost = { plainMs: stepMs, biasedMs: stepMs, flushMs: stepMs / 2 }
  process.emit('message', { type: 'warm', costs: { [KIKUYU]: { 13: cost } } })
  return {
    engine,
    open(): number {
      engine.open(++streams, KIKUYU, SETTINGS, 'live')
      return streams
    },
    /** A chunk of this stream is done, in this part of the time that was expected. */
    hear(stream: number, afterMs: number, part = 1): void {
      now += afterMs
      const message = { type: 'heard', samples: 17_920, append: '', words: [], audioMs: CHUNK_MS }
      const workMs = stepMs * part
      const work = { workMs, cpuMs: workMs, expectedMs: stepMs, isDue: true, lateness: 0 }
      process.emit('message', { type: 'stream', stream, message, ...work })
    },
    end: () => process.emit('exit', 0, null),
  }
}

it('has a place for every stream that it admits, also where steps take less than when it was measured', () => {
  const { engine, open, hear, end } = startEngine(56)
  const measured = engine.capacity
  for (let i = 1; i <= 100 && engine.openStreams < engine.capacity; i++) {
    expect(engine.freeSlots).toBeGreaterThan(0)
    const stream = open()
    for (let step = 0; step < 20; step++) hear(stream, 56, 0.5)
  }
  expect(engine.openStreams).toBeGreaterThan(measured)
  end()
})

it('takes as many newcomers as fit if each costs 1.6 times as much; once they were heard, as many of the rest, and in the end all', () => {
  const { engine, open, hear, end } = startEngine(28)
  const streams: number[] = []
  const fill = () => {
    const before = streams.length
    while (engine.openStreams < engine.capacity - engine.heldBack) streams.push(open())
    return streams.length - before
  }
  const hearAll = () => {
    for (const stream of streams) hear(stream, CHUNK_MS / streams.length)
  }
  const admitted = [fill()]
  while (engine.openStreams < engine.capacity && admitted.length < 10) {
    expect(fill()).toBe(0)
    for (let chunk = 0; chunk < 20; chunk++) hearAll()
    admitted.push(fill())
  }
  // It can carry 36. The first are admitted by what was expected, the others by what was measured.
  const [first, second = 0, ...rest] = admitted
  expect(first).toBe(23)
  expect(Math.abs(second - 9)).toBeLessThanOrEqual(1)
  expect(rest.length).toBeGreaterThanOrEqual(1)
  expect(Math.abs(engine.openStreams - 36)).toBeLessThanOrEqual(1)
  expect(engine.heldBack).toBe(0)
  end()
})

it('holds nothing back where it has few slots: a handful of people may come at once', () => {
  for (const [stepMs, admitted] of [
    [125, 8],
    [200, 5],
    [900, 1],
  ] as const) {
    const { engine, end } = startEngine(stepMs)
    expect(engine.capacity - engine.heldBack).toBe(admitted)
    expect(engine.heldBack).toBe(0)
    end()
  }
})
