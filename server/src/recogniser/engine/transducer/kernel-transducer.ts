// Step 5: decoder and joiner on our own kernels, with weights that were found in their ONNX files.

import { Arena } from '../wasm/arena.ts'
import { PANEL } from '../wasm/multiply.ts'
import { KernelJoiner } from './kernel-joiner.ts'
import { KernelPredictor } from './kernel-predictor.ts'
import type { Prediction, Transducer } from './transducer.ts'
import type { TransducerWeights } from './weights.ts'

/** Frames or predictions of one call; scratch is allocated for them once. */
const MAX_ROWS = 16
/** 32 MB. Larger networks are left to the ONNX Runtime: our tables would take much memory and gain little. */
const MAX_FLOATS = 2 ** 23

export class KernelTransducer implements Transducer {
  readonly blank: number
  readonly maxRows = MAX_ROWS
  readonly start: Prediction
  readonly #predictor: KernelPredictor
  readonly #joiner: KernelJoiner
  #frames = new Float32Array(0)
  #scores = new Float32Array(0)

  /** Undefined where the kernels cannot take the weights as they are. */
  static from(weights: TransducerWeights): KernelTransducer | undefined {
    const lengths = [weights.frame.weight.rows, weights.output.weight.rows, hiddenSize(weights)]
    const isWhole = lengths.every(length => length % PANEL === 0)
    return isWhole && floats(weights) <= MAX_FLOATS ? new KernelTransducer(weights) : undefined
  }

  private constructor(weights: TransducerWeights) {
    const arena = new Arena(floats(weights), Math.max(hiddenSize(weights), weights.output.weight.rows))
    this.#predictor = new KernelPredictor(arena, weights, MAX_ROWS)
    this.#joiner = new KernelJoiner(arena, weights, MAX_ROWS)
    this.blank = this.#joiner.symbols - 1
    const nothing = { output: new Float32Array(0), state: new Float32Array(this.#predictor.stateSize) }
    this.start = this.predict(this.blank, nothing)
  }

  prepare(encoded: Float32Array, frames: number): Float32Array {
    const length = frames * this.#joiner.size
    if (this.#frames.length < length) this.#frames = new Float32Array(length)
    this.#joiner.prepareFrames(encoded, frames, this.#frames)
    return this.#frames
  }

  join(frames: Float32Array, frame: number, rows: number, prediction: Prediction): Float32Array {
    return this.#score(rows, row => {
      this.#joiner.join(row % MAX_ROWS, this.#frameOf(frames, frame + row), prediction.output)
    })
  }

  joinEach(frames: Float32Array, frame: number, predictions: readonly Prediction[]): Float32Array {
    const values = this.#frameOf(frames, frame)
    return this.#score(predictions.length, row => {
      this.#joiner.join(row % MAX_ROWS, values, predictions[row]!.output)
    })
  }

  predict(piece: number, before: Prediction): Prediction {
    return this.#predict([piece], [before])[0]!
  }

  predictEach(pieces: readonly number[], before: readonly Prediction[]): readonly Prediction[] {
    if (pieces.length <= MAX_ROWS) return this.#predict(pieces, before)
    const predictions: Prediction[] = []
    for (let i = 0; i < pieces.length; i += MAX_ROWS)
      predictions.push(...this.#predict(pieces.slice(i, i + MAX_ROWS), before.slice(i, i + MAX_ROWS)))
    return predictions
  }

  #predict(pieces: readonly number[], before: readonly Prediction[]): Prediction[] {
    const states = this.#predictor.run(
      pieces,
      before.map(({ state }) => state as Float32Array),
    )
    const { size } = this.#joiner
    const outputs = this.#joiner.preparePredictions(this.#predictor.hidden, pieces.length)
    return states.map((state, row) => ({ output: outputs.slice(row * size, (row + 1) * size), state }))
  }

  #frameOf(frames: Float32Array, frame: number): Float32Array {
    const { size } = this.#joiner
    return frames.subarray(frame * size, (frame + 1) * size)
  }

  /** Rows are joined and scored, as many at a time as there is scratch for. */
  #score(rows: number, join: (row: number) => void): Float32Array {
    const { symbols } = this.#joiner
    if (this.#scores.length < rows * symbols) this.#scores = new Float32Array(rows * symbols)
    for (let first = 0; first < rows; first += MAX_ROWS) {
      const count = Math.min(MAX_ROWS, rows - first)
      for (let row = first; row < first + count; row++) join(row)
      this.#joiner.score(count, this.#scores, first * symbols)
    }
    return this.#scores.subarray(0, rows * symbols)
  }
}

function hiddenSize({ layers }: TransducerWeights): number {
  return layers[0]!.recurrent.columns
}

/** That decoder and joiner take of an arena. */
function floats(weights: TransducerWeights): number {
  return KernelPredictor.floats(weights, MAX_ROWS) + KernelJoiner.floats(weights, MAX_ROWS)
}
