// Memory of the kernels: vectors and matrices one after the other, allocated once and freed together.

import { FLOAT_BYTES, reserveFloats } from '../../../wasm/web-assembly.ts'
import { FIXED_ONE, type Kernels, LANES, loadKernels, type Multiply } from './kernels.ts'
import { MAX_ROWS, PANEL } from './multiply.ts'

const LARGEST_INT16 = 2 ** 15 - 1
const LARGEST_INT32 = 2 ** 31 - 1

/** A matrix as the kernels take it: panels of 16 columns, each of them input by input, padded with zeros. */
export interface Matrix {
  /** A multiple of 8. */
  readonly inputs: number
  /** Padded: the length of a row of the result. */
  readonly columns: number
  readonly isFixed: boolean
  readonly address: number
  /** Of fixed-point numbers: what a column's sums are multiplied by. */
  readonly scales: number
}

export type Weight = (input: number, output: number) => number

export class Arena {
  readonly kernels: Kernels
  readonly #floats: Float32Array
  #used = 0
  /** Rows of x in fixed point. */
  #fixedRows: Float32Array

  /** `length`: floats that it holds, padding included. `longestInput`: of fixed-point matrices. */
  constructor(length: number, longestInput: number) {
    const own = (MAX_ROWS * longestInput) / 2
    const memory = reserveFloats(length + own)
    this.kernels = loadKernels(memory)
    this.#floats = new Float32Array(memory.buffer)
    this.#fixedRows = this.floats(own)
  }

  /** Floats that a matrix takes. */
  static matrixFloats(inputs: number, outputs: number): number {
    return (inputs + 1) * padded(outputs, PANEL)
  }

  /** Zeros, aligned for the kernels. The address of the array is its byteOffset. */
  floats(length: number): Float32Array {
    const start = this.#used
    this.#used += padded(length, LANES)
    if (this.#used > this.#floats.length) throw new Error('the arena is too small')
    return this.#floats.subarray(start, start + length)
  }

  /** For rows of any values. */
  floatMatrix(inputs: number, outputs: number, weight: Weight): Matrix {
    const columns = padded(outputs, PANEL)
    const values = this.floats(inputs * columns)
    for (let output = 0; output < outputs; output++) {
      const first = Math.floor(output / PANEL) * inputs * PANEL + (output % PANEL)
      for (let input = 0; input < inputs; input++) values[first + input * PANEL] = weight(input, output)
    }
    return { inputs, columns, isFixed: false, address: values.byteOffset, scales: 0 }
  }

  /** For rows of values between -1 and 1. */
  fixedMatrix(inputs: number, outputs: number, weight: Weight): Matrix {
    const columns = padded(outputs, PANEL)
    const memory = this.floats((inputs * columns) / 2)
    const values = new Int16Array(memory.buffer, memory.byteOffset, inputs * columns)
    const scales = this.floats(columns)
    for (let output = 0; output < outputs; output++) {
      const unit = smallestUnit(inputs, input => weight(input, output))
      const first = Math.floor(output / PANEL) * inputs * PANEL + 2 * (output % PANEL)
      for (let input = 0; input < inputs; input++)
        values[first + (input >> 1) * 2 * PANEL + (input & 1)] = Math.round(weight(input, output) / unit)
      scales[output] = unit / FIXED_ONE
    }
    return { inputs, columns, isFixed: true, address: memory.byteOffset, scales: scales.byteOffset }
  }

  /** Rows of y grow by those of x times the matrix. Rows of x are as long as its inputs, those of y as its columns. */
  multiply(rows: number, x: Float32Array, matrix: Matrix, y: Float32Array): void {
    for (let row = 0; row < rows; row += MAX_ROWS) {
      const count = Math.min(MAX_ROWS, rows - row)
      const xAddress = x.byteOffset + row * matrix.inputs * FLOAT_BYTES
      const yAddress = y.byteOffset + row * matrix.columns * FLOAT_BYTES
      if (matrix.isFixed) this.#multiplyFixed(count, xAddress, matrix, yAddress)
      else run(this.kernels.multiplyFloat[count - 1]!, xAddress, matrix.inputs, matrix, yAddress)
    }
  }

  #multiplyFixed(rows: number, x: number, matrix: Matrix, y: number): void {
    const { byteOffset } = this.#fixedRows
    this.kernels.toFixed(x, byteOffset, (rows * matrix.inputs) / (2 * LANES))
    run(this.kernels.multiplyFixed[rows - 1]!, byteOffset, matrix.inputs / 2, matrix, y)
  }
}

function run(multiply: Multiply, x: number, steps: number, matrix: Matrix, y: number): void {
  const { address, scales, columns } = matrix
  multiply(x, steps * FLOAT_BYTES, steps, address, scales, columns / PANEL, y, columns * FLOAT_BYTES)
}

/** What one step of a column's 16-bit weights stands for: fine, and so that no sum of products leaves 32 bits. */
function smallestUnit(inputs: number, weight: (input: number) => number): number {
  let largest = 0
  let sum = 0
  for (let input = 0; input < inputs; input++) {
    largest = Math.max(largest, Math.abs(weight(input)))
    sum += Math.abs(weight(input))
  }
  // Rounding makes each weight larger by up to half a unit.
  const room = LARGEST_INT32 / FIXED_ONE - inputs
  return Math.max(largest / LARGEST_INT16, sum / room) || 1
}

export function padded(length: number, to: number): number {
  return Math.ceil(length / to) * to
}
