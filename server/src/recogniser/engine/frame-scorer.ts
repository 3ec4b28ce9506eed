// Step 5 for each frame alone: one matrix gives what the frame says by itself, whatever was said before it. Not every model has one.

import { readOnnxGraph } from '../package/onnx-graph.ts'
import { pack } from './transducer/kernel-joiner.ts'
import { findLinear, type Linear } from './transducer/weights.ts'
import { Arena, padded } from './wasm/arena.ts'
import { LANES } from './wasm/kernels.ts'
import { PANEL } from './wasm/multiply.ts'

/** Undefined where the graph is not one matrix and one bias. */
export function findFrameScorer(path: string): Linear | undefined {
  const graph = readOnnxGraph(path)
  const matrices = graph.nodes.filter(({ operator }) => operator === 'MatMul')
  return matrices.length === 1 ? findLinear(graph, matrices[0]!) : undefined
}

export class FrameScorer {
  readonly #arena: Arena
  readonly #packed: ReturnType<typeof pack>
  readonly #symbols: number
  readonly #maxFrames: number
  readonly #input: Float32Array
  readonly #output: Float32Array
  readonly #scores: Float32Array

  constructor(linear: Linear, maxFrames: number) {
    const { rows, columns } = linear.weight
    const row = padded(columns, PANEL)
    this.#arena = new Arena(Arena.matrixFloats(rows, columns) + maxFrames * (rows + row), rows)
    this.#packed = pack(linear, (...matrix) => this.#arena.floatMatrix(...matrix))
    this.#symbols = columns
    this.#maxFrames = maxFrames
    this.#input = this.#arena.floats(maxFrames * rows)
    this.#output = this.#arena.floats(maxFrames * row)
    this.#scores = new Float32Array(maxFrames * columns)
  }

  /** Log probabilities of every piece and the blank, a row for each frame. Valid until the next call. */
  score(encoded: Float32Array, frames: number): Float32Array {
    if (frames > this.#maxFrames) throw new Error(`${frames} frames are more than ${this.#maxFrames}`)
    const { matrix, bias } = this.#packed
    this.#input.set(encoded.subarray(0, frames * matrix.inputs))
    for (let frame = 0; frame < frames; frame++) this.#output.set(bias, frame * matrix.columns)
    this.#arena.multiply(frames, this.#input, matrix, this.#output)
    for (let frame = 0; frame < frames; frame++) {
      const start = frame * matrix.columns
      const row = this.#output.subarray(start, start + this.#symbols)
      this.#arena.kernels.logSoftmax(row.byteOffset, matrix.columns / LANES)
      this.#scores.set(row, frame * this.#symbols)
    }
    return this.#scores
  }
}
