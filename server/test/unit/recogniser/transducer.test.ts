import { afterAll, describe, expect, it } from 'vitest'
import { loadModel } from '#server/recogniser/model.js'
import { openModelPackage } from '#server/recogniser/model-package.js'
import { Sessions } from '#server/recogniser/sessions.js'
import type { Prediction } from '#server/recogniser/transducer.js'
import { TINY_MODEL } from '../../support/tiny-models.ts'

const sessions = new Sessions({ provider: 'cpu', threads: 1 })
afterAll(() => sessions.release())
const modelPackage = await openModelPackage(TINY_MODEL)
const FRAMES = 3
/** More than one run takes. */
const PREDICTIONS = 20

describe.each([true, false])('the networks of the transducer, batches allowed: %s', joinsBatches => {
  const { transducer } = loadModel({ ...modelPackage, joinsBatches }, sessions)
  const symbols = transducer.blank + 1
  const encoded = Float32Array.from({ length: FRAMES * modelPackage.encodedSize }, (_, i) => Math.sin(i))
  const frames = transducer.prepare(encoded, FRAMES)
  const pieces = Array.from({ length: PREDICTIONS }, (_, i) => i % transducer.blank)
  const predictions: readonly Prediction[] = transducer.predictEach(
    pieces,
    pieces.map(() => transducer.start),
  )

  it('predict several pieces as they predict one', () => {
    for (const [i, piece] of pieces.entries())
      expect(close(transducer.predict(piece, transducer.start).output, predictions[i]!.output)).toBe(true)
  })

  it('score several predictions as they score one', () => {
    const scores = transducer.joinEach(frames, 1, predictions).slice()
    expect(scores).toHaveLength(PREDICTIONS * symbols)
    for (const [i, prediction] of predictions.entries()) {
      const alone = transducer.join(frames, 1, 1, prediction)
      expect(close(alone, scores.subarray(i * symbols, (i + 1) * symbols))).toBe(true)
    }
  })
})

function close(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => Math.abs(value - b[i]!) < 1e-4)
}
