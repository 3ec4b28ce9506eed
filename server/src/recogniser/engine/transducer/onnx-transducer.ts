// Step 5: decoder and joiner on the ONNX Runtime, for networks that our own kernels do not know.

import type { ModelPackage } from '../../package/model-package.ts'
import type { Sessions } from '../onnx-sessions.ts'
import { OnnxJoiner } from './onnx-joiner.ts'
import { OnnxPredictor } from './onnx-predictor.ts'
import type { Prediction, Transducer } from './transducer.ts'

export class OnnxTransducer implements Transducer {
  readonly blank: number
  readonly maxRows: number
  readonly start: Prediction
  readonly #predictor: OnnxPredictor
  readonly #joiner: OnnxJoiner

  constructor(sessions: Sessions, model: ModelPackage) {
    this.#joiner = new OnnxJoiner(sessions.open(model.paths.joiner), model)
    this.#predictor = new OnnxPredictor(sessions.open(model.paths.decoder), model)
    this.maxRows = this.#joiner.maxRows
    this.blank = model.vocabulary.blank
    this.start = this.#predictor.start(this.blank)
  }

  prepare(encoded: Float32Array): Float32Array {
    return encoded
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
