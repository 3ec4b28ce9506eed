// Step 5: the joiner holds encoded frames against predictions and scores every piece and the blank, several rows in one run.

import { Tensor } from 'onnxruntime-node'
import type { ModelPackage } from './model-package.ts'
import type { Run, Session } from './sessions.ts'

/** Rows of one run are at most this many; scratch is allocated for them once. */
const MAX_ROWS = 16

export class Joiner {
  readonly maxRows: number
  readonly #session: Session
  readonly #encodedSize: number
  readonly #hiddenSize: number
  readonly #symbols: number
  readonly #frames: Float32Array
  readonly #predictions: Float32Array
  readonly #scores: Float32Array
  readonly #runs: readonly Run[]

  constructor(session: Session, model: ModelPackage) {
    this.#session = session
    this.maxRows = model.joinsBatches ? MAX_ROWS : 1
    this.#encodedSize = model.encodedSize
    this.#hiddenSize = model.manifest.decoder.hidden
    this.#symbols = model.vocabulary.blank + 1
    this.#frames = new Float32Array(this.maxRows * this.#encodedSize)
    this.#predictions = new Float32Array(this.maxRows * this.#hiddenSize)
    this.#scores = new Float32Array(this.maxRows * this.#symbols)
    this.#runs = Array.from({ length: this.maxRows }, (_, i) => this.#allocateRun(i + 1))
  }

  /** Scores `rows` frames from `frame` on beside one prediction. Valid until the next call. */
  scoreFrames(encoded: Float32Array, frame: number, rows: number, prediction: Float32Array): Float32Array {
    const size = this.#encodedSize
    this.#frames.set(encoded.subarray(frame * size, (frame + rows) * size))
    for (let row = 0; row < rows; row++) this.#predictions.set(prediction, row * this.#hiddenSize)
    return this.#run(rows)
  }

  /** Scores one frame beside each prediction, however many there are. Valid until the next call. */
  scorePredictions(encoded: Float32Array, frame: number, predictions: readonly Float32Array[]): Float32Array {
    const values = encoded.subarray(frame * this.#encodedSize, (frame + 1) * this.#encodedSize)
    if (predictions.length <= this.maxRows) return this.#scoreTogether(values, predictions)
    const scores = new Float32Array(predictions.length * this.#symbols)
    for (let row = 0; row < predictions.length; row += this.maxRows) {
      const some = this.#scoreTogether(values, predictions.slice(row, row + this.maxRows))
      scores.set(some, row * this.#symbols)
    }
    return scores
  }

  #scoreTogether(frame: Float32Array, predictions: readonly Float32Array[]): Float32Array {
    for (const [row, prediction] of predictions.entries()) {
      this.#frames.set(frame, row * this.#encodedSize)
      this.#predictions.set(prediction, row * this.#hiddenSize)
    }
    return this.#run(predictions.length)
  }

  #run(rows: number): Float32Array {
    this.#session.run(this.#runs[rows - 1]!)
    return this.#scores.subarray(0, rows * this.#symbols)
  }

  /** Views of the same scratch for every number of rows. */
  #allocateRun(rows: number): Run {
    const [encoderOutputs, decoderOutputs] = this.#session.inputNames as unknown as [string, string]
    const [logits] = this.#session.outputNames as unknown as [string]
    const shape = this.#session.outputRank === 2 ? [rows, this.#symbols] : [rows, 1, 1, this.#symbols]
    return {
      inputs: {
        [encoderOutputs]: column(this.#frames, rows, this.#encodedSize),
        [decoderOutputs]: column(this.#predictions, rows, this.#hiddenSize),
      },
      outputs: { [logits]: new Tensor('float32', this.#scores.subarray(0, rows * this.#symbols), shape) },
    }
  }
}

function column(values: Float32Array, rows: number, size: number): Tensor {
  return new Tensor('float32', values.subarray(0, rows * size), [rows, size, 1])
}
