// Step 5: the joiner on our own kernels. What it does with a frame alone or a prediction alone is done once, before they meet.

import { Arena, padded } from '../wasm/arena.ts'
import { LANES } from '../wasm/kernels.ts'
import { PANEL } from '../wasm/multiply.ts'
import { PackedLinear } from '../wasm/packed-linear.ts'
import type { TransducerWeights } from './weights.ts'

export class KernelJoiner {
  readonly symbols: number
  /** Of a prepared frame or prediction. */
  readonly size: number
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
    this.#maxRows = maxRows
    this.symbols = output.weight.columns
    this.size = output.weight.rows
    // What the decoder and tanh give is between -1 and 1; what the encoder gives and what ReLU lets through may be anything.
    const isBounded = activation === 'tanh'
    this.#frame = new PackedLinear(arena, frame, (...matrix) => arena.floatMatrix(...matrix))
    this.#prediction = new PackedLinear(arena, prediction, (...matrix) => arena.fixedMatrix(...matrix))
    this.#output = new PackedLinear(arena, output, (...matrix) =>
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
    this.#output.score(rows, this.#joined, this.#scores, results.subarray(start))
  }

  #prepare(linear: PackedLinear, input: Float32Array, rows: number): Float32Array {
    linear.apply(rows, input, this.#prepared)
    return this.#prepared.subarray(0, rows * this.size)
  }
}
