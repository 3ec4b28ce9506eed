import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { EngineProcess } from '#server/recogniser/pool/engine-process.js'
import { KIKUYU } from '../../../support/recogniser/open-tiny.ts'

const SETTINGS = { lookAhead: 13, phrases: [] } as const
const STEP_MS = 56
const ignore = () => undefined

it('has a place for every stream that it admits, also where steps take less than when it was measured', () => {
  let now = 0
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
  const cost = { plainMs: STEP_MS, biasedMs: STEP_MS, flushMs: 0, savedMs: 0 }
  process.emit('message', { type: 'warm', costs: { [KIKUYU]: { 13: cost } } })
  const measured = engine.capacity
  const heard = { type: 'heard', samples: 17_920, append: '', words: [], audioMs: 1120 }
  for (let id = 1; id <= 100 && engine.openStreams < engine.capacity; id++) {
    expect(engine.freeSlots).toBeGreaterThan(0)
    engine.open(id, KIKUYU, SETTINGS, 'live')
    for (let step = 0; step < 20; step++) {
      now += STEP_MS
      const work = { workMs: STEP_MS / 2, cpuMs: STEP_MS / 2, expectedMs: STEP_MS, isDue: true, lateness: 0 }
      process.emit('message', { type: 'stream', stream: id, message: heard, ...work })
    }
  }
  expect(engine.openStreams).toBeGreaterThan(measured)
  process.emit('exit', 0, null)
})
