// Step 5: the joiner holds encoded frames against predictions and scores every piece and the blank, several rows in one run. What it does
// with a frame or a prediction alone is done once, before.

import { Tensor } from 'onnxruntime-node'
import { cutJoiner, type JoinerCut } from './joiner-cut.ts'
import { type JoinerSide, PreparedSide, unprepared } from './joiner-side.ts'
import type { ModelPackage } from './model-package.ts'
import type { Run, Session, Sessions } from './sessions.ts'

/** Rows of one run are at most this many; scratch is allocated for them once. */
const MAX_ROWS = 16

interface JoinerGraphs {
  readonly frames: JoinerSide
  readonly predictions: JoinerSide
  readonly scores: Session
}

export class Joiner {
  readonly maxRows: number
  readonly frames: JoinerSide
  readonly predictions: JoinerSide
  readonly #session: Session
  readonly #symbols: number
  readonly #frameRows: Float32Array
  readonly #predictionRows: Float32Array
  readonly #scores: Float32Array
  readonly #runs: readonly Run[]

  constructor(sessions: Sessions, model: ModelPackage) {
    this.maxRows = model.joinsBatches ? MAX_ROWS : 1
    const graphs = openGraphs(sessions, model, this.maxRows)
    this.frames = graphs.frames
    this.predictions = graphs.predictions
    this.#session = graphs.scores
    this.#symbols = model.vocabulary.blank + 1
    this.#frameRows = new Float32Array(this.maxRows * this.frames.size)
    this.#predictionRows = new Float32Array(this.maxRows * this.predictions.size)
    this.#scores = new Float32Array(this.maxRows * this.#symbols)
    this.#runs = Array.from({ length: this.maxRows }, (_, i) => this.#allocateRun(i + 1))
  }

  /** Scores `rows` prepared frames from `frame` on beside one prepared prediction. Valid until the next call. */
  scoreFrames(frames: Float32Array, frame: number, rows: number, prediction: Float32Array): Float32Array {
    const { size } = this.frames
    this.#frameRows.set(frames.subarray(frame * size, (frame + rows) * size))
    for (let row = 0; row < rows; row++) this.#predictionRows.set(prediction, row * this.predictions.size)
    return this.#run(rows)
  }

  /** Scores one prepared frame beside each prepared prediction, however many there are. Valid until the next call. */
  scorePredictions(frames: Float32Array, frame: number, predictions: readonly Float32Array[]): Float32Array {
    const values = frames.subarray(frame * this.frames.size, (frame + 1) * this.frames.size)
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
      this.#frameRows.set(frame, row * this.frames.size)
      this.#predictionRows.set(predictions[row]!, row * this.predictions.size)
    }
    return this.#run(predictions.length)
  }

  #run(rows: number): Float32Array {
    this.#session.run(this.#runs[rows - 1]!)
    return this.#scores.subarray(0, rows * this.#symbols)
  }

  /** Views of the same scratch for every number of rows. */
  #allocateRun(rows: number): Run {
    const [frame, prediction] = this.#session.inputNames as unknown as [string, string]
    const [logits] = this.#session.outputNames as unknown as [string]
    const shape = this.#session.outputRank === 2 ? [rows, this.#symbols] : [rows, 1, 1, this.#symbols]
    return {
      inputs: {
        [frame]: tensor(this.#frameRows, rows, this.frames),
        [prediction]: tensor(this.#predictionRows, rows, this.predictions),
      },
      outputs: { [logits]: new Tensor('float32', this.#scores.subarray(0, rows * this.#symbols), shape) },
    }
  }
}

function tensor(values: Float32Array, rows: number, { size, rowShape }: JoinerSide): Tensor {
  return new Tensor('float32', values.subarray(0, rows * size), [rows, ...rowShape])
}

/** The joiner cut in three; or whole, where it is made in another way: the same scores at more cost. */
function openGraphs(sessions: Sessions, model: ModelPackage, maxRows: number): JoinerGraphs {
  return (
    openCut(sessions, model, maxRows) ?? {
      frames: unprepared(model.encodedSize),
      predictions: unprepared(model.manifest.decoder.hidden),
      scores: sessions.open(model.paths.joiner),
    }
  )
}

function openCut(sessions: Sessions, model: ModelPackage, maxRows: number): JoinerGraphs | undefined {
  const { joiner } = model.paths
  const cut = cutJoiner(joiner)
  if (cut === undefined) return undefined
  const open = (part: keyof JoinerCut) => sessions.open(`${joiner} ${part}`, cut[part])
  try {
    return {
      frames: new PreparedSide(open('frames'), model.encodedSize, maxRows),
      predictions: new PreparedSide(open('predictions'), model.manifest.decoder.hidden, maxRows),
      scores: open('scores'),
    }
  } catch {
    // One that counts in 16 bits inside, say, has no place where it can be cut at 32.
    return undefined
  }
}
