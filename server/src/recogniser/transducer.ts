// Step 5: the two small networks of the transducer. The decoder turns the pieces said so far into a prediction; the joiner holds a
// prediction against encoded frames.

import { Joiner } from './joiner.ts'
import type { ModelPackage } from './model-package.ts'
import { Predictor } from './predictor.ts'
import type { Session } from './sessions.ts'

/** What the decoder knows of the pieces said so far. Never changed once made, so hypotheses may share it. */
export interface Prediction {
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
  /** Scores `rows` frames from `frame` on. Row i of the result begins at i x (blank + 1) and is valid until the next call. */
  join(encoded: Float32Array, frame: number, rows: number, prediction: Prediction): Float32Array
  /** Scores one frame beside each prediction, however many. Rows as above. */
  joinEach(encoded: Float32Array, frame: number, predictions: readonly Prediction[]): Float32Array
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

  constructor(decoder: Session, joiner: Session, model: ModelPackage) {
    this.#predictor = new Predictor(decoder, model)
    this.#joiner = new Joiner(joiner, model)
    this.maxRows = this.#joiner.maxRows
    this.blank = model.vocabulary.blank
    this.start = this.#predictor.start(this.blank)
  }

  join(encoded: Float32Array, frame: number, rows: number, prediction: Prediction): Float32Array {
    return this.#joiner.scoreFrames(encoded, frame, rows, prediction.output)
  }

  joinEach(encoded: Float32Array, frame: number, predictions: readonly Prediction[]): Float32Array {
    return this.#joiner.scorePredictions(
      encoded,
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
