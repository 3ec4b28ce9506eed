// Step 5: the joiner on our own kernels. What it does with a frame alone or a prediction alone is done once, before they meet.

import { Arena, type Matrix, padded, type Weight } from '../wasm/arena.ts'
import { LANES } from '../wasm/kernels.ts'
import { PANEL } from '../wasm/multiply.ts'
import type { Linear, TransducerWeights } from './weights.ts'

/** What a padded score gets: it adds nothing to a sum of probabilities. */
const IMPOSSIBLE = -1e30

interface PackedLinear {
  readonly matrix: Matrix
  /** Padded like a row of the result. */
  readonly bias: Float32Array
}

export class KernelJoiner {
  readonly symbols: number
  /** Of a prepared frame or prediction. */
  readonly size: number
  readonly #arena: Arena
  readonly #frame: PackedLinear
  readonly #prediction: PackedLinear
  readonly #output: PackedLinear
  readonly #activate: (a: number, b: number, out: number, vectors: number) => void
  readonly #maxRows: number
  readonly #input: Float32Array
  readonly #prepared: Float32Array
  /** One frame and one prediction, prepared, on their way to be joined. */
  readonly #pair: Float32Array
  readonly #joined: Float32Array
  readonly #scores: Float32Array

  constructor(arena: Arena, { frame, prediction, output, activation }: TransducerWeights, maxRows: number) {
    this.#arena = arena
    this.#maxRows = maxRows
    this.symbols = output.weight.columns
    this.size = output.weight.rows
    // What the decoder and tanh give is between -1 and 1; what the encoder gives and what ReLU lets through may be anything.
    const isBounded = activation === 'tanh'
    this.#frame = pack(frame, (...matrix) => arena.floatMatrix(...matrix))
    this.#prediction = pack(prediction, (...matrix) => arena.fixedMatrix(...matrix))
    this.#output = pack(output, (...matrix) =>
      isBounded ? arena.fixedMatrix(...matrix) : arena.floatMatrix(...matrix),
    )
    this.#activate = arena.kernels[activation === 'tanh' ? 'addTanh' : 'addRelu']
    this.#input = arena.floats(maxRows * frame.weight.rows)
    this.#prepared = arena.floats(maxRows * this.size)
    this.#pair = arena.floats(2 * this.size)
    this.#joined = arena.floats(maxRows * this.size)
    this.#scores = arena.floats(maxRows * this.#output.matrix.columns)
  }

  /** Floats that a joiner takes of an arena. */
  static floats({ frame, prediction, output }: TransducerWeights, maxRows: number): number {
    const scores = padded(output.weight.columns, PANEL)
    return [frame, prediction, output].reduce(
      (sum, { weight: { rows, columns } }) => sum + Arena.matrixFloats(rows, columns),
      maxRows * (frame.weight.rows + 2 * output.weight.rows + scores) + 2 * output.weight.rows,
    )
  }

  /** Rows of encoded frames become rows of prepared ones. */
  prepareFrames(encoded: Float32Array, rows: number, prepared: Float32Array): void {
    const { inputs } = this.#frame.matrix
    for (let row = 0; row < rows; row += this.#maxRows) {
      const count = Math.min(this.#maxRows, rows - row)
      this.#input.set(encoded.subarray(row * inputs, (row + count) * inputs))
      prepared.set(this.#prepare(this.#frame, this.#input, count), row * this.size)
    }
  }

  /** The predictor's rows; valid until the next call. */
  preparePredictions(hidden: Float32Array, rows: number): Float32Array {
    return this.#prepare(this.#prediction, hidden, rows)
  }

  /** Puts a prepared frame and a prepared prediction into a row, to be scored. */
  join(row: number, frame: Float32Array, prediction: Float32Array): void {
    const { byteOffset } = this.#pair
    const bytes = this.size * Float32Array.BYTES_PER_ELEMENT
    this.#pair.set(frame)
    this.#pair.set(prediction, this.size)
    this.#activate(byteOffset, byteOffset + bytes, this.#joined.byteOffset + row * bytes, this.size / LANES)
  }

  /** Log probabilities of the rows joined, written one after the other. */
  score(rows: number, results: Float32Array, start: number): void {
    const { matrix, bias } = this.#output
    for (let row = 0; row < rows; row++) this.#scores.set(bias, row * matrix.columns)
    this.#arena.multiply(rows, this.#joined, matrix, this.#scores)
    for (let row = 0; row < rows; row++) {
      const scores = this.#scores.subarray(row * matrix.columns, row * matrix.columns + this.symbols)
      this.#arena.kernels.logSoftmax(scores.byteOffset, matrix.columns / LANES)
      results.set(scores, start + row * this.symbols)
    }
  }

  #prepare({ matrix, bias }: PackedLinear, input: Float32Array, rows: number): Float32Array {
    for (let row = 0; row < rows; row++) this.#prepared.set(bias, row * this.size)
    this.#arena.multiply(rows, input, matrix, this.#prepared)
    return this.#prepared.subarray(0, rows * this.size)
  }
}

/** As the kernels take it. */
export function pack(
  { weight: { rows, columns, values }, bias }: Linear,
  makeMatrix: (inputs: number, outputs: number, weight: Weight) => Matrix,
): PackedLinear {
  const matrix = makeMatrix(rows, columns, (input, output) => values[input * columns + output]!)
  const paddedBias = new Float32Array(matrix.columns).fill(IMPOSSIBLE)
  paddedBias.set(bias)
  return { matrix, bias: paddedBias }
}
