// Step 5: the two small networks of the transducer. The decoder turns the pieces said so far into a prediction; the joiner holds a
// prediction against encoded frames.

import { Tensor } from 'onnxruntime-node'
import { Joiner } from './joiner.ts'
import type { ModelPackage } from './model-package.ts'
import type { Session, Tensors } from './sessions.ts'

/** What the decoder knows of the pieces said so far. Never changed once made, so hypotheses may share it. */
export interface Prediction {
  readonly output: Float32Array
  /** The decoder's own memory; nobody else looks into it. */
  readonly state: unknown
}

/** What decoding needs of a model; a test may bring a table instead. */
export interface Transducer {
  readonly blank: number
  /** Most rows that one call scores. */
  readonly maxRows: number
  /** Before anything is said. */
  readonly start: Prediction
  /** Scores `rows` frames from `frame` on. Row i of the result begins at i x (blank + 1) and is valid until the next call. */
  join(encoded: Float32Array, frame: number, rows: number, prediction: Prediction): Float32Array
  /** Scores one frame beside each prediction. */
  joinEach(encoded: Float32Array, frame: number, predictions: readonly Prediction[]): Float32Array
  predict(piece: number, before: Prediction): Prediction
}

interface DecoderState {
  readonly hidden: Tensor
  readonly cell: Tensor
}

/** Inputs and outputs are known by their places, not by their names. */
type Names = readonly [string, string, string, string]

export class OnnxTransducer implements Transducer {
  readonly blank: number
  readonly maxRows: number
  readonly start: Prediction
  readonly #decoder: Session
  readonly #joiner: Joiner
  readonly #layers: number
  readonly #hiddenSize: number
  readonly #target = Int32Array.of(0)
  readonly #inputs: Tensors
  readonly #outputs: Tensors

  constructor(decoder: Session, joiner: Session, model: ModelPackage) {
    this.#decoder = decoder
    this.#joiner = new Joiner(joiner, model)
    this.maxRows = this.#joiner.maxRows
    this.blank = model.vocabulary.blank
    this.#layers = model.manifest.decoder.layers
    this.#hiddenSize = model.manifest.decoder.hidden
    const [targets, targetLength] = decoder.inputNames as unknown as Names
    const [, length] = decoder.outputNames as unknown as Names
    this.#inputs = {
      [targets]: new Tensor('int32', this.#target, [1, 1]),
      [targetLength]: new Tensor('int32', Int32Array.of(1), [1]),
    }
    this.#outputs = { [length]: new Tensor('int32', Int32Array.of(1), [1]) }
    this.start = this.predict(this.blank, { output: new Float32Array(0), state: this.#newState() })
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
    const [, , hidden, cell] = this.#decoder.inputNames as unknown as Names
    const [predicted, , nextHidden, nextCell] = this.#decoder.outputNames as unknown as Names
    const state = before.state as DecoderState
    const after = this.#newState()
    const output = new Float32Array(this.#hiddenSize)
    this.#target[0] = piece
    this.#inputs[hidden] = state.hidden
    this.#inputs[cell] = state.cell
    this.#outputs[predicted] = new Tensor('float32', output, [1, this.#hiddenSize, 1])
    this.#outputs[nextHidden] = after.hidden
    this.#outputs[nextCell] = after.cell
    this.#decoder.run(this.#inputs, this.#outputs)
    return { output, state: after }
  }

  #newState(): DecoderState {
    const shape = [this.#layers, 1, this.#hiddenSize]
    const zeros = () => new Tensor('float32', new Float32Array(this.#layers * this.#hiddenSize), shape)
    return { hidden: zeros(), cell: zeros() }
  }
}
