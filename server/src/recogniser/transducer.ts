// Step 5: the two small networks of the transducer. The decoder turns the pieces said so far into a prediction; the joiner holds a
// prediction against encoded frames.

import { Joiner } from './joiner.ts'
import type { ModelPackage } from './model-package.ts'
import { Predictor } from './predictor.ts'
import type { Sessions } from './sessions.ts'

/** What the decoder knows of the pieces said so far. Never changed once made, so hypotheses may share it. */
export interface Prediction {
  /** As the joiner takes it. */
  readonly output: Float32Array
  /** The decoder's own memory; nobody else looks into it. */
  readonly state: unknown
}

/** What decoding needs of a model; a test may bring a table instead. */
export interface Transducer {
  readonly blank: number
  /** Most frames that one call scores. */
  readonly maxRows: number
  /** Before anything is said. */
  readonly start: Prediction
  /** Encoded frames as the joiner takes them. Valid until the next call. */
  prepare(encoded: Float32Array, frames: number): Float32Array
  /** Scores `rows` of the prepared frames from `frame` on. Row i of the result begins at i x (blank + 1) and is valid until the next call. */
  join(frames: Float32Array, frame: number, rows: number, prediction: Prediction): Float32Array
  /** Scores one frame beside each prediction, however many. Rows as above. */
  joinEach(frames: Float32Array, frame: number, predictions: readonly Prediction[]): Float32Array
  predict(piece: number, before: Prediction): Prediction
  /** Several at once: piece i after prediction i. */
  predictEach(pieces: readonly number[], before: readonly Prediction[]): readonly Prediction[]
}

export class OnnxTransducer implements Transducer {
  readonly blank: number
  readonly maxRows: number
  readonly start: Prediction
  readonly #predictor: Predictor
  readonly #joiner: Joiner

  constructor(sessions: Sessions, model: ModelPackage) {
    this.#joiner = new Joiner(sessions, model)
    this.#predictor = new Predictor(sessions.open(model.paths.decoder), model, this.#joiner.predictions)
    this.maxRows = this.#joiner.maxRows
    this.blank = model.vocabulary.blank
    this.start = this.#predictor.start(this.blank)
  }

  prepare(encoded: Float32Array, frames: number): Float32Array {
    return this.#joiner.frames.prepare(encoded, frames)
  }

  join(frames: Float32Array, frame: number, rows: number, prediction: Prediction): Float32Array {
    return this.#joiner.scoreFrames(frames, frame, rows, prediction.output)
  }

  joinEach(frames: Float32Array, frame: number, predictions: readonly Prediction[]): Float32Array {
    return this.#joiner.scorePredictions(
      frames,
      frame,
      predictions.map(({ output }) => output),
    )
  }

  predict(piece: number, before: Prediction): Prediction {
    return this.#predictor.predictEach([piece], [before])[0]!
  }

  predictEach(pieces: readonly number[], before: readonly Prediction[]): readonly Prediction[] {
    return this.#predictor.predictEach(pieces, before)
  }
}
