// The arithmetic of the small networks as WebAssembly with 128-bit vectors: four floats at a time, the same result on every processor.
// A run of the ONNX Runtime costs more than this work itself, because decoder and joiner run dozens of times per chunk on a row or two.

import { assemble } from '../../../wasm/assembler.ts'
import { Instance, Module, type WasmMemory } from '../../../wasm/web-assembly.ts'
import { addActivated, exponential, logSoftmax, lstm, relu, tanh, toFixed } from './elementwise.ts'
import { FIXED, FLOAT, multiplyKernels } from './multiply.ts'

/** Floats in a vector. Lengths of vectors are multiples of this. */
export const LANES = 4
/** The number 1 in fixed point. With it, sums of products of a column stay within 32 bits; see `Arena.fixedMatrix`. */
export const FIXED_ONE = 2 ** 12

/** Arguments are addresses in bytes and counts. All vectors are aligned and padded to whole lanes. */
export interface Kernels {
  /**
   * Rows of y, `yStride` apart, grow by those of x times a matrix of floats at `w`. By the number of rows, from one on; `steps` are inputs;
   * `scales` are not used.
   */
  readonly multiplyFloat: readonly Multiply[]
  /** The same with fixed-point numbers: `steps` are pairs of inputs, and each column is multiplied by its scale in the end. */
  readonly multiplyFixed: readonly Multiply[]
  /** Values between -1 and 1 become fixed-point numbers; `pairs` of vectors. */
  toFixed(from: number, to: number, pairs: number): void
  /** out = tanh(a + b) */
  addTanh(a: number, b: number, out: number, vectors: number): void
  /** out = max(0, a + b) */
  addRelu(a: number, b: number, out: number, vectors: number): void
  /** One step of an LSTM of `vectors` vectors: gates are input, output, forget and cell, one after the other. Writes the cell and hidden. */
  lstm(gates: number, cell: number, hidden: number, vectors: number): void
  /** Scores become natural logarithms of probabilities, in place. */
  logSoftmax(scores: number, vectors: number): void
}

export type Multiply = (
  x: number,
  xStride: number,
  steps: number,
  w: number,
  scales: number,
  panels: number,
  y: number,
  yStride: number,
) => void

export function loadKernels(memory: WasmMemory): Kernels {
  const host = { memory, log: Math.log }
  const { exports } = new Instance(new Module(assembleKernels()), { host })
  const kernels = exports as Kernels & Record<string, Multiply>
  const byRows = (name: string) => [1, 2, 3, 4].map(rows => kernels[`${name}${rows}`]!)
  return { ...kernels, multiplyFloat: byRows('float'), multiplyFixed: byRows('fixed') }
}

/** The logarithm and the exponential are called by other functions, by their places: 0 and 1. */
function assembleKernels(): Uint8Array {
  return assemble(
    [{ name: 'log', parameters: ['f32'], result: 'f32' }],
    [
      exponential(),
      ...multiplyKernels('float', FLOAT),
      ...multiplyKernels('fixed', FIXED),
      toFixed(FIXED_ONE),
      addActivated('addTanh', tanh),
      addActivated('addRelu', relu),
      lstm(),
      logSoftmax(),
    ],
  )
}
