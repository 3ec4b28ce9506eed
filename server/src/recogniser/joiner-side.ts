// Step 5: what the joiner does with a frame alone or with a prediction alone, row by row.

import { Tensor } from 'onnxruntime-node'
import type { Run, Session } from './sessions.ts'

/** Prepares nothing: for a joiner that is run whole. */
export function unprepared(size: number): JoinerSide {
  return { rowShape: [size, 1], size, prepare: values => values }
}

export interface JoinerSide {
  /** Of a prepared row. */
  readonly rowShape: readonly number[]
  readonly size: number
  /** Rows one after the other. Valid until the next call. */
  prepare(values: Float32Array, rows: number): Float32Array
}

export class PreparedSide implements JoinerSide {
  readonly rowShape: readonly number[]
  readonly size: number
  readonly #session: Session
  readonly #inputSize: number
  readonly #maxRows: number
  readonly #input: Float32Array
  readonly #output: Float32Array
  readonly #runs: readonly Run[]
  #prepared = new Float32Array(0)

  /** Throws where the rows of the graph's output are not those of its input. */
  constructor(session: Session, inputSize: number, maxRows: number) {
    this.#session = session
    this.#inputSize = inputSize
    this.#maxRows = maxRows
    this.#input = new Float32Array(maxRows * inputSize)
    this.rowShape = this.#findRowShape()
    this.size = this.rowShape.reduce((product, length) => product * length, 1)
    this.#output = new Float32Array(maxRows * this.size)
    this.#runs = Array.from({ length: maxRows }, (_, i) => this.#allocateRun(i + 1))
  }

  prepare(values: Float32Array, rows: number): Float32Array {
    const { size } = this
    if (this.#prepared.length < rows * size) this.#prepared = new Float32Array(rows * size)
    for (let row = 0; row < rows; row += this.#maxRows) {
      const count = Math.min(this.#maxRows, rows - row)
      this.#input.set(values.subarray(row * this.#inputSize, (row + count) * this.#inputSize))
      this.#session.run(this.#runs[count - 1]!)
      this.#prepared.set(this.#output.subarray(0, count * size), row * size)
    }
    return this.#prepared
  }

  /** Not told by the graph: a trial tells it. */
  #findRowShape(): readonly number[] {
    const rows = this.#maxRows
    const [first, ...rest] = this.#session.tryOut(this.#inputs(rows)).dims
    if (first !== rows) throw new Error('its rows are not independent of each other')
    return rest
  }

  #inputs(rows: number) {
    const [name] = this.#session.inputNames as unknown as [string]
    const values = this.#input.subarray(0, rows * this.#inputSize)
    return { [name]: new Tensor('float32', values, [rows, this.#inputSize, 1]) }
  }

  #allocateRun(rows: number): Run {
    const [name] = this.#session.outputNames as unknown as [string]
    const values = this.#output.subarray(0, rows * this.size)
    return {
      inputs: this.#inputs(rows),
      outputs: { [name]: new Tensor('float32', values, [rows, ...this.rowShape]) },
    }
  }
}
