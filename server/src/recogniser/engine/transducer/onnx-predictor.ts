// Step 5: the decoder on the ONNX Runtime: turns the pieces said so far into a prediction of the next, for several hypotheses in one run.

import { Tensor } from 'onnxruntime-node'
import type { ModelPackage } from '../../package/model-package.ts'
import type { Run, Session } from '../onnx-sessions.ts'
import type { Prediction } from './transducer.ts'

/** Rows of one run are at most this many; scratch is allocated for them once. */
const MAX_ROWS = 8

/** Of the rows of a run. */
interface Memories {
  readonly hidden: Float32Array
  readonly cell: Float32Array
}

/** Inputs and outputs are known by their places, not by their names. */
type Names = readonly [string, string, string, string]

export class OnnxPredictor {
  readonly #session: Session
  readonly #layers: number
  readonly #size: number
  readonly #maxRows: number
  readonly #targets: Int32Array
  readonly #predicted: Float32Array
  readonly #before: Memories
  readonly #after: Memories
  readonly #runs: readonly Run[]

  constructor(session: Session, model: ModelPackage) {
    this.#session = session
    this.#layers = model.manifest.decoder.layers
    this.#size = model.manifest.decoder.hidden
    this.#maxRows = model.joinsBatches ? MAX_ROWS : 1
    this.#targets = new Int32Array(this.#maxRows)
    this.#predicted = new Float32Array(this.#maxRows * this.#size)
    this.#before = this.#allocateMemories()
    this.#after = this.#allocateMemories()
    this.#runs = Array.from({ length: this.#maxRows }, (_, i) => this.#allocateRun(i + 1))
  }

  /** What is predicted when nothing was said: after the blank, without memory. */
  start(blank: number): Prediction {
    const nothing = { output: new Float32Array(0), state: this.#allocateMemory() }
    return this.predictEach([blank], [nothing])[0]!
  }

  /** Piece i after prediction i. */
  predictEach(pieces: readonly number[], before: readonly Prediction[]): Prediction[] {
    if (pieces.length === 1) return this.#run(pieces, before)
    const predictions: Prediction[] = []
    for (let i = 0; i < pieces.length; i += this.#maxRows) {
      predictions.push(...this.#run(pieces.slice(i, i + this.#maxRows), before.slice(i, i + this.#maxRows)))
    }
    return predictions
  }

  #run(pieces: readonly number[], before: readonly Prediction[]): Prediction[] {
    const rows = pieces.length
    this.#targets.set(pieces)
    for (let row = 0; row < rows; row++) this.#writeMemory(before[row]!.state as Float32Array, row, rows)
    this.#session.run(this.#runs[rows - 1]!)
    const size = this.#size
    return pieces.map((_, row) => ({
      output: this.#predicted.slice(row * size, (row + 1) * size),
      state: this.#readMemory(row, rows),
    }))
  }

  #writeMemory(memory: Float32Array, row: number, rows: number): void {
    const size = this.#size
    for (let layer = 0; layer < this.#layers; layer++) {
      const own = 2 * layer * size
      const scratch = (layer * rows + row) * size
      this.#before.hidden.set(memory.subarray(own, own + size), scratch)
      this.#before.cell.set(memory.subarray(own + size, own + 2 * size), scratch)
    }
  }

  #readMemory(row: number, rows: number): Float32Array {
    const size = this.#size
    const memory = this.#allocateMemory()
    for (let layer = 0; layer < this.#layers; layer++) {
      const own = 2 * layer * size
      const scratch = (layer * rows + row) * size
      memory.set(this.#after.hidden.subarray(scratch, scratch + size), own)
      memory.set(this.#after.cell.subarray(scratch, scratch + size), own + size)
    }
    return memory
  }

  /** What one hypothesis remembers: of each layer the hidden values, then the cell's. */
  #allocateMemory(): Float32Array {
    return new Float32Array(2 * this.#layers * this.#size)
  }

  #allocateMemories(): Memories {
    const length = this.#layers * this.#maxRows * this.#size
    return { hidden: new Float32Array(length), cell: new Float32Array(length) }
  }

  /** Views of the same scratch for every number of rows. */
  #allocateRun(rows: number): Run {
    const [targets, targetLength, hidden, cell] = this.#session.inputNames as unknown as Names
    // The second output, a length that is always one, is not asked for.
    const [predicted, , nextHidden, nextCell] = this.#session.outputNames as unknown as Names
    const memory = (values: Float32Array) =>
      new Tensor('float32', values.subarray(0, this.#layers * rows * this.#size), [
        this.#layers,
        rows,
        this.#size,
      ])
    return {
      inputs: {
        [targets]: new Tensor('int32', this.#targets.subarray(0, rows), [rows, 1]),
        [targetLength]: new Tensor('int32', new Int32Array(rows).fill(1), [rows]),
        [hidden]: memory(this.#before.hidden),
        [cell]: memory(this.#before.cell),
      },
      outputs: {
        [predicted]: new Tensor('float32', this.#predicted.subarray(0, rows * this.#size), [
          rows,
          this.#size,
          1,
        ]),
        [nextHidden]: memory(this.#after.hidden),
        [nextCell]: memory(this.#after.cell),
      },
    }
  }
}
