// Step 5: the two small networks of the transducer. The decoder turns the pieces said so far into a prediction; the joiner holds a
// prediction against encoded frames and scores every piece and the blank.

import { type InferenceSession, Tensor } from 'onnxruntime-node'
import type { ModelPackage } from './model-package.ts'

/** What the decoder knows of the pieces said so far. Never changed once made, so hypotheses may share it. */
export interface Prediction {
  readonly output: Float32Array
  readonly hidden: Float32Array
  readonly cell: Float32Array
}

/** What decoding needs of a model; a test may bring a table instead. */
export interface Transducer {
  readonly blank: number
  /** Most rows that one `join` takes. */
  readonly maxRows: number
  /** Before anything is said. */
  readonly start: Prediction
  /**
   * Scores row i of `rows` frames, from `frame` on, beside `predictions[i]`, or all beside the only prediction. Row i of the
   * result begins at i x (blank + 1) and is valid until the next call.
   */
  join(encoded: Float32Array, frame: number, rows: number, prediction: Prediction): Promise<Float32Array>
  /** Scores one frame beside each prediction. */
  joinEach(encoded: Float32Array, frame: number, predictions: readonly Prediction[]): Promise<Float32Array>
  predict(piece: number, before: Prediction): Promise<Prediction>
}

/** Frames joined in one run are at most this many; scratch is allocated for them once. */
const MAX_ROWS = 16

export class OnnxTransducer implements Transducer {
  readonly blank: number
  readonly maxRows: number
  start!: Prediction
  readonly #decoder: InferenceSession
  readonly #joiner: InferenceSession
  readonly #encodedSize: number
  readonly #hidden: number
  readonly #layers: number
  readonly #joinerRank: number
  readonly #frames: Float32Array
  readonly #predictions: Float32Array
  readonly #scores: Float32Array
  readonly #target = Int32Array.of(0)
  readonly #one = new Tensor('int32', Int32Array.of(1), [1])
  readonly #length = new Tensor('int32', Int32Array.of(1), [1])

  private constructor(decoder: InferenceSession, joiner: InferenceSession, model: ModelPackage) {
    this.#decoder = decoder
    this.#joiner = joiner
    this.blank = model.vocabulary.blank
    this.maxRows = model.joinsBatches ? MAX_ROWS : 1
    this.#encodedSize = model.encodedSize
    this.#hidden = model.manifest.decoder.hidden
    this.#layers = model.manifest.decoder.layers
    const output = joiner.outputMetadata[0]!
    this.#joinerRank = output.isTensor ? output.shape.length : 4
    this.#frames = new Float32Array(this.maxRows * this.#encodedSize)
    this.#predictions = new Float32Array(this.maxRows * this.#hidden)
    this.#scores = new Float32Array(this.maxRows * (this.blank + 1))
  }

  static async create(
    decoder: InferenceSession,
    joiner: InferenceSession,
    model: ModelPackage,
  ): Promise<OnnxTransducer> {
    const transducer = new OnnxTransducer(decoder, joiner, model)
    const size = transducer.#layers * transducer.#hidden
    const nothing = {
      output: new Float32Array(0),
      hidden: new Float32Array(size),
      cell: new Float32Array(size),
    }
    transducer.start = await transducer.predict(transducer.blank, nothing)
    return transducer
  }

  join(encoded: Float32Array, frame: number, rows: number, prediction: Prediction): Promise<Float32Array> {
    const size = this.#encodedSize
    for (let row = 0; row < rows; row++) this.#predictions.set(prediction.output, row * this.#hidden)
    return this.#runJoiner(encoded.subarray(frame * size, (frame + rows) * size), rows)
  }

  joinEach(encoded: Float32Array, frame: number, predictions: readonly Prediction[]): Promise<Float32Array> {
    const size = this.#encodedSize
    const row = encoded.subarray(frame * size, (frame + 1) * size)
    for (const [i, prediction] of predictions.entries()) {
      this.#frames.set(row, i * size)
      this.#predictions.set(prediction.output, i * this.#hidden)
    }
    return this.#runJoiner(this.#frames.subarray(0, predictions.length * size), predictions.length)
  }

  async #runJoiner(frames: Float32Array, rows: number): Promise<Float32Array> {
    const [encoderOutputs, decoderOutputs] = this.#joiner.inputNames as [string, string]
    const [logits] = this.#joiner.outputNames as [string]
    const symbols = this.blank + 1
    const shape = this.#joinerRank === 2 ? [rows, symbols] : [rows, 1, 1, symbols]
    const predictions = this.#predictions.subarray(0, rows * this.#hidden)
    await this.#joiner.run(
      {
        [encoderOutputs]: new Tensor('float32', frames, [rows, this.#encodedSize, 1]),
        [decoderOutputs]: new Tensor('float32', predictions, [rows, this.#hidden, 1]),
      },
      { [logits]: new Tensor('float32', this.#scores.subarray(0, rows * symbols), shape) },
    )
    return this.#scores
  }

  async predict(piece: number, before: Prediction): Promise<Prediction> {
    const [targets, targetLength, h, c] = this.#decoder.inputNames as [string, string, string, string]
    const [predicted, length, nextH, nextC] = this.#decoder.outputNames as [string, string, string, string]
    const state = [this.#layers, 1, this.#hidden]
    const after = {
      output: new Float32Array(this.#hidden),
      hidden: new Float32Array(before.hidden.length),
      cell: new Float32Array(before.cell.length),
    }
    this.#target[0] = piece
    await this.#decoder.run(
      {
        [targets]: new Tensor('int32', this.#target, [1, 1]),
        [targetLength]: this.#one,
        [h]: new Tensor('float32', before.hidden, state),
        [c]: new Tensor('float32', before.cell, state),
      },
      {
        [predicted]: new Tensor('float32', after.output, [1, this.#hidden, 1]),
        [length]: this.#length,
        [nextH]: new Tensor('float32', after.hidden, state),
        [nextC]: new Tensor('float32', after.cell, state),
      },
    )
    return after
  }
}
