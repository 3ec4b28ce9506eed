// Step 5: the joiner on the ONNX Runtime: scores every piece and the blank, several rows in one run.

import { Tensor } from 'onnxruntime-node'
import type { ModelPackage } from '../../package/model-package.ts'
import type { Run, Session } from '../onnx-sessions.ts'
import { logSoftmax } from './log-softmax.ts'

/** Rows of one run are at most this many; scratch is allocated for them once. */
const MAX_ROWS = 16

export class OnnxJoiner {
  readonly maxRows: number
  readonly #session: Session
  readonly #symbols: number
  readonly #frameSize: number
  readonly #predictionSize: number
  readonly #frameRows: Float32Array
  readonly #predictionRows: Float32Array
  readonly #scores: Float32Array
  readonly #runs: readonly Run[]

  constructor(session: Session, model: ModelPackage) {
    this.#session = session
    this.maxRows = model.joinsBatches ? MAX_ROWS : 1
    this.#symbols = model.vocabulary.blank + 1
    this.#frameSize = model.encodedSize
    this.#predictionSize = model.manifest.decoder.hidden
    this.#frameRows = new Float32Array(this.maxRows * this.#frameSize)
    this.#predictionRows = new Float32Array(this.maxRows * this.#predictionSize)
    this.#scores = new Float32Array(this.maxRows * this.#symbols)
    this.#runs = Array.from({ length: this.maxRows }, (_, i) => this.#allocateRun(i + 1))
  }

  /** Log probabilities at `rows` frames from `frame` on beside one prediction. Valid until the next call. */
  scoreFrames(frames: Float32Array, frame: number, rows: number, prediction: Float32Array): Float32Array {
    this.#frameRows.set(frames.subarray(frame * this.#frameSize, (frame + rows) * this.#frameSize))
    for (let row = 0; row < rows; row++) this.#predictionRows.set(prediction, row * this.#predictionSize)
    return this.#run(rows)
  }

  /** Log probabilities at one frame beside each prediction, however many there are. Valid until the next call. */
  scorePredictions(frames: Float32Array, frame: number, predictions: readonly Float32Array[]): Float32Array {
    const values = frames.subarray(frame * this.#frameSize, (frame + 1) * this.#frameSize)
    if (predictions.length <= this.maxRows) return this.#scoreTogether(values, predictions)
    const scores = new Float32Array(predictions.length * this.#symbols)
    for (let row = 0; row < predictions.length; row += this.maxRows) {
      const some = this.#scoreTogether(values, predictions.slice(row, row + this.maxRows))
      scores.set(some, row * this.#symbols)
    }
    return scores
  }

  #scoreTogether(frame: Float32Array, predictions: readonly Float32Array[]): Float32Array {
    for (let row = 0; row < predictions.length; row++) {
      this.#frameRows.set(frame, row * this.#frameSize)
      this.#predictionRows.set(predictions[row]!, row * this.#predictionSize)
    }
    return this.#run(predictions.length)
  }

  #run(rows: number): Float32Array {
    this.#session.run(this.#runs[rows - 1]!)
    for (let row = 0; row < rows; row++) logSoftmax(this.#scores, row * this.#symbols, this.#symbols)
    return this.#scores.subarray(0, rows * this.#symbols)
  }

  /** Views of the same scratch for every number of rows. */
  #allocateRun(rows: number): Run {
    const [frame, prediction] = this.#session.inputNames as unknown as [string, string]
    const [logits] = this.#session.outputNames as unknown as [string]
    const shape = this.#session.outputRank === 2 ? [rows, this.#symbols] : [rows, 1, 1, this.#symbols]
    return {
      inputs: {
        [frame]: rowsOf(this.#frameRows, rows, this.#frameSize),
        [prediction]: rowsOf(this.#predictionRows, rows, this.#predictionSize),
      },
      outputs: { [logits]: new Tensor('float32', this.#scores.subarray(0, rows * this.#symbols), shape) },
    }
  }
}

function rowsOf(values: Float32Array, rows: number, size: number): Tensor {
  return new Tensor('float32', values.subarray(0, rows * size), [rows, size, 1])
}
