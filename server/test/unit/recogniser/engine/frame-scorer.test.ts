import { describe, expect, it } from 'vitest'
import { FrameScorer } from '#server/recogniser/engine/frame-scorer.js'
import { logSoftmax } from '#server/recogniser/engine/transducer/log-softmax.js'

describe('what scores frames', () => {
  it.each([16, 320, 20, 3])('takes frames of %i values', size => {
    const symbols = 7
    const values = Float32Array.from({ length: size * symbols }, (_, i) => Math.sin(i * i))
    const bias = Float32Array.from({ length: symbols }, (_, i) => Math.cos(i))
    const scorer = new FrameScorer({ weight: { rows: size, columns: symbols, values }, bias }, 6)
    for (const frames of [6, 1, 5]) {
      const encoded = Float32Array.from({ length: frames * size }, (_, i) => Math.sin(i * 3))
      const expected = Float32Array.from({ length: frames * symbols }, (_, at) => {
        const [frame, symbol] = [Math.floor(at / symbols), at % symbols]
        const row = encoded.subarray(frame * size, (frame + 1) * size)
        return row.reduce((sum, value, i) => sum + value * values[i * symbols + symbol]!, bias[symbol]!)
      })
      for (let frame = 0; frame < frames; frame++) logSoftmax(expected, frame * symbols, symbols)
      const scores = scorer.score(encoded, frames)
      expect(scores.length).toBe(expected.length)
      for (const [i, score] of scores.entries()) expect(score).toBeCloseTo(expected[i]!, 3)
    }
  })
})
