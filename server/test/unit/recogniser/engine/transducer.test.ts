import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { Sessions } from '#server/recogniser/engine/onnx-sessions.js'
import { KernelTransducer } from '#server/recogniser/engine/transducer/kernel-transducer.js'
import { OnnxTransducer } from '#server/recogniser/engine/transducer/onnx-transducer.js'
import { openTransducer } from '#server/recogniser/engine/transducer/open-transducer.js'
import type { Prediction, Transducer } from '#server/recogniser/engine/transducer/transducer.js'
import { findWeights } from '#server/recogniser/engine/transducer/weights.js'
import { openModelPackage } from '#server/recogniser/package/model-package.js'
import { BUNDLED_MODELS } from '../../../support/recogniser/bundled.ts'
import { TINY_MODEL } from '../../../support/recogniser/tiny-models.ts'

const sessions = new Sessions({ provider: 'cpu', threads: 1 })
afterAll(() => sessions.release())
const tiny = await openModelPackage(TINY_MODEL)
const bundled = await openModelPackage(`${BUNDLED_MODELS}/svc-asr-kikuyu-v1`)
const FRAMES = 3
/** More than one call takes. */
const PREDICTIONS = 20

const encodedFrames = (size: number) =>
  Float32Array.from({ length: FRAMES * size }, (_, i) => Math.sin(i * 3.7))

function kernelsFor({ paths }: typeof tiny): KernelTransducer {
  return KernelTransducer.from(findWeights(paths.decoder, paths.joiner)!)!
}

describe.each<[string, Transducer]>([
  ['on the ONNX Runtime', new OnnxTransducer(sessions, tiny)],
  ['on the ONNX Runtime, a row at a time', new OnnxTransducer(sessions, { ...tiny, joinsBatches: false })],
  ['on our kernels', kernelsFor(tiny)],
])('the networks of the transducer %s', (_, transducer) => {
  const symbols = transducer.blank + 1
  const frames = transducer.prepare(encodedFrames(tiny.encodedSize), FRAMES)
  const pieces = Array.from({ length: PREDICTIONS }, (_, i) => i % transducer.blank)
  const predictions: readonly Prediction[] = transducer.predictEach(
    pieces,
    pieces.map(() => transducer.start),
  )

  it('predict several pieces as they predict one', () => {
    for (const [i, piece] of pieces.entries()) {
      const alone = transducer.predict(piece, transducer.start).output
      expect(difference(alone, predictions[i]!.output)).toBeLessThan(1e-4)
    }
  })

  it('score several predictions as they score one', () => {
    const scores = transducer.joinEach(frames, 1, predictions).slice()
    expect(scores).toHaveLength(PREDICTIONS * symbols)
    for (const [i, prediction] of predictions.entries()) {
      const alone = transducer.join(frames, 1, 1, prediction)
      expect(difference(alone, scores.subarray(i * symbols, (i + 1) * symbols))).toBeLessThan(1e-4)
    }
  })

  it('give probabilities', () => {
    const scores = transducer.join(frames, 0, 1, transducer.start)
    expect(scores.reduce((sum, score) => sum + Math.exp(score), 0)).toBeCloseTo(1, 4)
  })
})

describe('our kernels', () => {
  it.each([
    ['tiny', tiny],
    ['bundled', bundled],
  ])('follow the ONNX Runtime over many pieces: %s', (_, model) => {
    const [onnx, kernels] = [new OnnxTransducer(sessions, model), kernelsFor(model)]
    const encoded = encodedFrames(model.encodedSize)
    let [expected, actual] = [onnx.start, kernels.start]
    for (let i = 0; i < 30; i++) {
      const piece = (i * 37) % onnx.blank
      expected = onnx.predict(piece, expected)
      actual = kernels.predict(piece, actual)
      const scores = onnx.join(onnx.prepare(encoded), 0, FRAMES, expected)
      const ours = kernels.join(kernels.prepare(encoded, FRAMES), 0, FRAMES, actual)
      expect(difference(scores, ours)).toBeLessThan(0.005)
    }
  })

  it('are used for both languages at once, and the runtime where a network is built in another way', async () => {
    expect(openTransducer(sessions, bundled)).toBeInstanceOf(KernelTransducer)
    const other = await openModelPackage(`${BUNDLED_MODELS}/svc-asr-dholuo-v1`)
    expect(openTransducer(sessions, other)).toBe(openTransducer(sessions, bundled))
    const published = fileURLToPath(new URL('../../../fixtures/prompted-export/', import.meta.url))
    expect(findWeights(`${published}decoder.int8.onnx`, `${published}joiner.int8.onnx`)).toBeUndefined()
  })
})

function difference(a: Float32Array, b: Float32Array): number {
  expect(a).toHaveLength(b.length)
  return a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0)
}
