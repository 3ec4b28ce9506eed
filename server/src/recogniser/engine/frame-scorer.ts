// Step 5 for each frame alone: one matrix gives what the frame says by itself, whatever was said before it. Not every model has one.

import { readOnnxGraph } from '../package/onnx-graph.ts'
import { findLinear, type Linear } from './transducer/weights.ts'
import { Arena, padded } from './wasm/arena.ts'
import { PANEL } from './wasm/multiply.ts'
import { PackedLinear } from './wasm/packed-linear.ts'

/** Undefined where the graph is not one matrix and one bias. */
export function findFrameScorer(path: string): Linear | undefined {
  const graph = readOnnxGraph(path)
  const matrices = graph.nodes.filter(({ operator }) => operator === 'MatMul')
  return matrices.length === 1 ? findLinear(graph, matrices[0]!) : undefined
}

export class FrameScorer {
  readonly #linear: PackedLinear
  readonly #size: number
  readonly #maxFrames: number
  readonly #input: Float32Array
  readonly #output: Float32Array
  readonly #scores: Float32Array

  constructor({ weight, bias }: Linear, maxFrames: number) {
    this.#size = weight.rows
    this.#maxFrames = maxFrames
    // The kernels take whole panels: a frame that is not as long ends in zeros, and so does the matrix.
    const [inputs, outputs] = [padded(weight.rows, PANEL), padded(weight.columns, PANEL)]
    const values = new Float32Array(inputs * weight.columns)
    values.set(weight.values)
    const arena = new Arena(Arena.matrixFloats(inputs, outputs) + maxFrames * (inputs + outputs), inputs)
    const whole = { weight: { rows: inputs, columns: weight.columns, values }, bias }
    this.#linear = new PackedLinear(arena, whole, (...matrix) => arena.floatMatrix(...matrix))
    this.#input = arena.floats(maxFrames * inputs)
    this.#output = arena.floats(maxFrames * outputs)
    this.#scores = new Float32Array(maxFrames * weight.columns)
  }

  /** Log probabilities of every piece and the blank, a row for each frame. Valid until the next call. */
  score(encoded: Float32Array, frames: number): Float32Array {
    if (frames > this.#maxFrames) throw new Error(`${frames} frames are more than ${this.#maxFrames}`)
    const { inputs } = this.#linear.matrix
    for (let frame = 0; frame < frames; frame++)
      this.#input.set(encoded.subarray(frame * this.#size, (frame + 1) * this.#size), frame * inputs)
    this.#linear.score(frames, this.#input, this.#output, this.#scores)
    return this.#scores.subarray(0, frames * this.#linear.columns)
  }
}
