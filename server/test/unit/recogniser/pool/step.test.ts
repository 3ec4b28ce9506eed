import { describe, expect, it } from 'vitest'
import { MESSAGE_MS, measureStep } from '#server/recogniser/pool/step.js'

/** A step that takes `tookMs` on the clock and `costMs` of the engine's work, of streams whose items are due at `dueMs`. */
function step({ tookMs, costMs, dueMs }: { tookMs: number; costMs: number; dueMs: readonly number[] }) {
  const clock = { nowMs: 1000, workMs: 50 }
  const charged: number[][] = []
  const streams = dueMs.map(due => ({
    promise: { dueMs: due, patienceMs: 350 },
    expectedMs: (together: number) => 20 / together,
    charge: (...charge: number[]) => charged.push(charge),
  }))
  const clocks = { now: () => clock.nowMs, work: () => clock.workMs }
  const done = measureStep(streams, 40, clocks, () => {
    clock.nowMs += tookMs
    clock.workMs += costMs
  })
  return { done, charged }
}

describe('a step', () => {
  it('is paid for by what it cost, not by how long other programs had the core meanwhile', () => {
    const { charged } = step({ tookMs: 300, costMs: 20, dueMs: [1000] })
    expect(charged).toEqual([[1300, 20 + MESSAGE_MS, 1 / 40]])
  })

  it('says how long it took, what it cost and what was expected', () => {
    const { done } = step({ tookMs: 300, costMs: 20, dueMs: [950] })
    expect(done).toEqual([
      {
        workMs: 300 + MESSAGE_MS,
        cpuMs: 20 + MESSAGE_MS,
        expectedMs: 20 + MESSAGE_MS,
        isDue: true,
        lateness: 1,
      },
    ])
  })

  it('of several streams is divided among them', () => {
    const { done, charged } = step({ tookMs: 60, costMs: 40, dueMs: [1000, 1000] })
    expect(done.map(({ workMs, cpuMs }) => [workMs, cpuMs])).toEqual([
      [30 + MESSAGE_MS, 20 + MESSAGE_MS],
      [30 + MESSAGE_MS, 20 + MESSAGE_MS],
    ])
    expect(charged).toHaveLength(2)
  })

  it('is not due where its audio came well ahead of time', () => {
    const { done } = step({ tookMs: 20, costMs: 20, dueMs: [1250, 1251] })
    expect(done.map(({ isDue }) => isDue)).toEqual([true, false])
  })
})
