// A matrix and a bias as the kernels take them, for rows of any number.

import type { Linear } from '../transducer/weights.ts'
import type { Arena, Matrix, Weight } from './arena.ts'
import { LANES } from './kernels.ts'

/** What a padded score gets: it adds nothing to a sum of probabilities. */
const IMPOSSIBLE = -1e30

export class PackedLinear {
  readonly matrix: Matrix
  /** Without the padding. */
  readonly columns: number
  readonly #arena: Arena
  /** Padded like a row of the result. */
  readonly #bias: Float32Array

  constructor(
    arena: Arena,
    { weight: { rows, columns, values }, bias }: Linear,
    makeMatrix: (inputs: number, outputs: number, weight: Weight) => Matrix,
  ) {
    this.#arena = arena
    this.columns = columns
    this.matrix = makeMatrix(rows, columns, (input, output) => values[input * columns + output]!)
    this.#bias = new Float32Array(this.matrix.columns).fill(IMPOSSIBLE)
    this.#bias.set(bias)
  }

  /** Rows of y, each as long as the matrix's columns, become those of x times the matrix, plus the bias. */
  apply(rows: number, x: Float32Array, y: Float32Array): void {
    for (let row = 0; row < rows; row++) y.set(this.#bias, row * this.matrix.columns)
    this.#arena.multiply(rows, x, this.matrix, y)
  }

  /** The same as log probabilities, in y and, without the padding, one row after the other in `results`. */
  score(rows: number, x: Float32Array, y: Float32Array, results: Float32Array): void {
    this.apply(rows, x, y)
    const padded = this.matrix.columns
    for (let row = 0; row < rows; row++) {
      const scores = y.subarray(row * padded, row * padded + this.columns)
      this.#arena.kernels.logSoftmax(scores.byteOffset, padded / LANES)
      results.set(scores, row * this.columns)
    }
  }
}
