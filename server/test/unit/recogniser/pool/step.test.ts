import { describe, expect, it } from 'vitest'
import { MESSAGE_MS, StepMeter } from '#server/recogniser/pool/step.js'

interface Step {
  readonly tookMs: number
  readonly costMs: number
  readonly dueMs: readonly number[]
}

/** Steps that take `tookMs` on the clock and `costMs` of the engine's work, of streams whose items are due at `dueMs`; what the last one gave. */
function step({ tookMs, costMs, dueMs }: Step, times = 1) {
  const clock = { nowMs: 1000, workMs: 50 }
  const meter = new StepMeter({ now: () => clock.nowMs, work: () => clock.workMs })
  const doOne = () => {
    const charged: number[][] = []
    const streams = dueMs.map(due => ({
      promise: { dueMs: due, patienceMs: 350 },
      expectedMs: 20,
      charge: (...charge: number[]) => charged.push(charge),
    }))
    const done = meter.measure(streams, 40, () => {
      clock.nowMs += tookMs
      clock.workMs += costMs
    })
    return { done, charged }
  }
  for (let i = 1; i < times; i++) doOne()
  return doOne()
}

describe('a step', () => {
  it('is paid for by what it cost, not by how long other programs had the core meanwhile', () => {
    const [[endedMs, costMs]] = step({ tookMs: 300, costMs: 20, dueMs: [1000] }).charged as [number[]]
    expect([endedMs, costMs]).toEqual([1300, 20 + MESSAGE_MS])
  })

  it('is paid for out of an equal part of what the engine gets of the core', () => {
    const partOf = (tookMs: number) => step({ tookMs, costMs: 20, dueMs: [1000] }, 200).charged[0]![2]
    expect(partOf(20)).toBeCloseTo(1 / 40)
    expect(partOf(80)).toBeCloseTo(1 / 160)
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
