import { afterAll, describe, expect, it, vi } from 'vitest'
import { loadModel } from '#server/recogniser/engine/model.js'
import { Sessions } from '#server/recogniser/engine/onnx-sessions.js'
import { openModelPackage } from '#server/recogniser/package/model-package.js'
import { warmUp } from '#server/recogniser/pool/warm-up.js'
import { TINY_MODEL } from '../../../support/recogniser/tiny-models.ts'

const sessions = new Sessions({ provider: 'cpu', threads: 1 })
afterAll(() => sessions.release())

const LOOK_AHEADS = [0, 3, 6, 13] as const
/** What the runs of this test cost: something for each run, and something for each frame of each utterance in it. */
const RUN_MS = 8
const FRAME_MS = 2

/** Warms the tiny model up by a clock that only its encoder moves. */
async function warmTiny() {
  const model = loadModel(await openModelPackage(TINY_MODEL), sessions)
  const runs = new Map<string, number>()
  let clockMs = 0
  const run = model.encoder.run.bind(model.encoder)
  vi.spyOn(model.encoder, 'run').mockImplementation((encodings, frames) => {
    const kind = `${encodings.length} x ${frames}`
    runs.set(kind, (runs.get(kind) ?? 0) + 1)
    clockMs += RUN_MS + FRAME_MS * frames * encodings.length
    run(encodings, frames)
  })
  return { costs: warmUp(model, LOOK_AHEADS, () => clockMs), runs }
}

const { costs, runs } = await warmTiny()

describe('the warm-up of an engine', () => {
  it('learns what a step of every length costs', () => {
    expect(LOOK_AHEADS.map(lookAhead => costs[lookAhead]!.plainMs)).toEqual([10, 16, 22, 36])
  })

  it('runs every kind of step at least twice, and none more often than is measured', () => {
    expect([...runs.keys()]).toEqual(
      expect.arrayContaining(['1 x 1', '1 x 4', '1 x 7', '1 x 14', '1 x 15', '4 x 14']),
    )
    for (const times of runs.values()) {
      expect(times).toBeGreaterThan(1)
      expect(times).toBeLessThanOrEqual(5)
    }
  })
})
