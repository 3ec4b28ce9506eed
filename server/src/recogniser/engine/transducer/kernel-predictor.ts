// Step 5: the decoder on our own kernels: an embedding and LSTM layers, several hypotheses at a time.

import { Arena, type Matrix } from '../wasm/arena.ts'
import { LANES } from '../wasm/kernels.ts'
import type { DenseMatrix, LstmLayer, TransducerWeights } from './weights.ts'

interface Layer {
  /** Of the first layer there is none: what it makes of each piece is in the table. */
  readonly input: Matrix | undefined
  readonly recurrent: Matrix
  readonly bias: Float32Array
}

export class KernelPredictor {
  /** Floats that one hypothesis remembers: of each layer the hidden values, then the cells. */
  readonly stateSize: number
  /** Rows of the last `run`. */
  readonly hidden: Float32Array
  readonly #arena: Arena
  readonly #size: number
  readonly #layers: readonly Layer[]
  /** What the first layer's gates get from each piece: looking it up saves a multiplication. */
  readonly #table: Float32Array
  readonly #gates: Float32Array
  readonly #before: Float32Array
  readonly #cell: Float32Array

  constructor(arena: Arena, { embedding, layers }: TransducerWeights, maxRows: number) {
    const [first] = layers as [LstmLayer]
    this.#arena = arena
    this.#size = first.recurrent.columns
    this.stateSize = 2 * layers.length * this.#size
    this.hidden = arena.floats(maxRows * this.#size)
    this.#gates = arena.floats(maxRows * 4 * this.#size)
    this.#before = arena.floats(maxRows * this.#size)
    this.#cell = arena.floats(this.#size)
    this.#layers = layers.map((layer, i) => ({
      input: i === 0 ? undefined : transposed(arena, layer.input),
      recurrent: transposed(arena, layer.recurrent),
      bias: layer.bias,
    }))
    this.#table = arena.floats(embedding.rows * 4 * this.#size)
    this.#fillTable(embedding, first)
  }

  /** Floats that a predictor takes of an arena. */
  static floats({ embedding, layers }: TransducerWeights, maxRows: number): number {
    const gates = layers[0]!.recurrent.rows
    const matrices = layers.flatMap(({ input, recurrent }) => [input, recurrent])
    return matrices.reduce(
      (sum, { rows, columns }) => sum + Arena.matrixFloats(columns, rows),
      (2 * embedding.rows + 3 * maxRows + 1) * gates,
    )
  }

  /** Piece i after state i; `hidden` has the result. Returns the states after them. */
  run(pieces: readonly number[], states: readonly Float32Array[]): Float32Array[] {
    const after = pieces.map(() => new Float32Array(this.stateSize))
    for (const [i, layer] of this.#layers.entries()) {
      this.#fillGates(layer, pieces)
      const at = 2 * i * this.#size
      for (const [row, state] of states.entries())
        this.#before.set(state.subarray(at, at + this.#size), row * this.#size)
      this.#arena.multiply(pieces.length, this.#before, layer.recurrent, this.#gates)
      for (let row = 0; row < pieces.length; row++) this.#stepRow(row, states[row]!, after[row]!, at)
    }
    return after
  }

  #fillGates({ input, bias }: Layer, pieces: readonly number[]): void {
    const gates = 4 * this.#size
    for (const [row, piece] of pieces.entries()) {
      const values = input === undefined ? this.#table.subarray(piece * gates, (piece + 1) * gates) : bias
      this.#gates.set(values, row * gates)
    }
    if (input !== undefined) this.#arena.multiply(pieces.length, this.hidden, input, this.#gates)
  }

  #stepRow(row: number, before: Float32Array, after: Float32Array, at: number): void {
    const size = this.#size
    const gates = this.#gates.subarray(4 * row * size)
    const hidden = this.hidden.subarray(row * size, (row + 1) * size)
    this.#cell.set(before.subarray(at + size, at + 2 * size))
    this.#arena.kernels.lstm(gates.byteOffset, this.#cell.byteOffset, hidden.byteOffset, size / LANES)
    after.set(hidden, at)
    after.set(this.#cell, at + size)
  }

  #fillTable({ rows, columns, values }: DenseMatrix, { input, bias }: LstmLayer): void {
    const matrix = this.#arena.floatMatrix(
      columns,
      input.rows,
      (i, gate) => input.values[gate * columns + i]!,
    )
    const pieces = this.#arena.floats(rows * columns)
    pieces.set(values)
    for (let piece = 0; piece < rows; piece++) this.#table.set(bias, piece * bias.length)
    this.#arena.multiply(rows, pieces, matrix, this.#table)
  }
}

/** ONNX stores the matrices of an LSTM with their outputs as rows. */
function transposed(arena: Arena, { rows, columns, values }: DenseMatrix): Matrix {
  return arena.fixedMatrix(columns, rows, (input, output) => values[output * columns + input]!)
}
