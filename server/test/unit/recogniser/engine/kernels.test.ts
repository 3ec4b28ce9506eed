import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Arena } from '#server/recogniser/engine/wasm/arena.js'

const arena = new Arena(1 << 20, 512)

function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 31 - 1) * 0.99
  }
}

describe('rows times a matrix', () => {
  it.each(['floatMatrix', 'fixedMatrix'] as const)('is what plain loops give: %s', kind => {
    const sizes = fc.record({
      rows: fc.integer({ min: 1, max: 7 }),
      inputs: fc.integer({ min: 1, max: 12 }).map(n => 8 * n),
      outputs: fc.integer({ min: 1, max: 40 }),
      seed: fc.nat(),
    })
    fc.assert(
      fc.property(sizes, ({ rows, inputs, outputs, seed }) => {
        const room = new Arena(1 << 15, 128)
        const next = randomNumbers(seed)
        const weights = Float32Array.from({ length: inputs * outputs }, next)
        const matrix = room[kind](inputs, outputs, (input, output) => weights[input * outputs + output]!)
        const x = room.floats(rows * inputs).map(next)
        const held = room.floats(rows * inputs)
        held.set(x)
        const y = room.floats(rows * matrix.columns).fill(0.5)
        room.multiply(rows, held, matrix, y)
        for (let at = 0; at < rows * outputs; at++) {
          const [row, output] = [Math.floor(at / outputs), at % outputs]
          const products = Array.from(
            { length: inputs },
            (_, input) => x[row * inputs + input]! * weights[input * outputs + output]!,
          )
          const expected = products.reduce((sum, product) => sum + product, 0.5)
          expect(y[row * matrix.columns + output]).toBeCloseTo(expected, kind === 'floatMatrix' ? 4 : 2)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('does not overflow with the largest values', () => {
    const room = new Arena(1 << 16, 512)
    const matrix = room.fixedMatrix(512, 16, () => 3)
    const x = room.floats(512).fill(1)
    const y = room.floats(16)
    room.multiply(1, x, matrix, y)
    for (const value of y) expect(value / (3 * 512)).toBeCloseTo(1, 3)
  })
})

describe('activations', () => {
  const values = Float32Array.from({ length: 64 }, (_, i) => (i - 32) ** 3 / 900)
  const a = arena.floats(64)
  const zeros = arena.floats(64)
  const out = arena.floats(64)
  a.set(values)

  it('are tanh and ReLU', () => {
    arena.kernels.addTanh(a.byteOffset, zeros.byteOffset, out.byteOffset, 16)
    for (const [i, value] of values.entries()) expect(out[i]).toBeCloseTo(Math.tanh(value), 6)
    arena.kernels.addRelu(a.byteOffset, zeros.byteOffset, out.byteOffset, 16)
    for (const [i, value] of values.entries()) expect(out[i]).toBe(Math.max(0, value))
  })

  it('make an LSTM', () => {
    const sigmoid = (x: number) => 1 / (1 + Math.exp(-x))
    const gates = arena.floats(16)
    gates.set([1, -1, 2, 0.5, 0.1, 0.2, 0.3, -3, 1, 2, -40, 40, 0.5, -0.5, 90, -90])
    const cell = arena.floats(4)
    const before = [0.5, -1, 2, -2]
    cell.set(before)
    const hidden = arena.floats(4)
    arena.kernels.lstm(gates.byteOffset, cell.byteOffset, hidden.byteOffset, 1)
    for (let i = 0; i < 4; i++) {
      const [input, output, forget, candidate] = [0, 4, 8, 12].map(at => gates[at + i]!) as [
        number,
        number,
        number,
        number,
      ]
      const after = sigmoid(forget) * before[i]! + sigmoid(input) * Math.tanh(candidate)
      expect(cell[i]).toBeCloseTo(after, 5)
      expect(hidden[i]).toBeCloseTo(sigmoid(output) * Math.tanh(after), 5)
    }
  })

  it('make probabilities, however large the scores', () => {
    for (const shift of [0, 500, -500]) {
      const scores = arena.floats(8)
      scores.set([1, 2, 3, 4, -30, 0, 1, 2].map(score => score + shift))
      arena.kernels.logSoftmax(scores.byteOffset, 2)
      expect(scores.reduce((sum, score) => sum + Math.exp(score), 0)).toBeCloseTo(1, 5)
      expect(scores[3]! - scores[0]!).toBeCloseTo(3, 4)
    }
  })
})
