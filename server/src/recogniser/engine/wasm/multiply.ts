// Rows times a matrix, in two kinds of numbers. Floats are for values of any size. Fixed-point numbers are for values between -1 and 1, which
// is what the activations of an LSTM and tanh give: 16 bits per number, two products per instruction, half the memory to read.

import {
  type Code,
  f32x4,
  i32,
  i32x4,
  repeat,
  type Variable,
  Variables,
  v128,
  type WasmFunction,
} from '../../../wasm/assembler.ts'

/** Columns of a matrix that lie side by side; see `Matrix`. */
export const PANEL = 16
/** Rows that one call multiplies at most. */
export const MAX_ROWS = 4
const LANES = 4
const VECTOR_BYTES = 16
/** A step takes four bytes of each row of x, one float or two fixed-point numbers, and as much of each column. */
const STEP_BYTES = 4
const UNROLLED = 4

interface Arithmetic {
  /** The sum with the products of one more step. */
  addProducts(sum: Code, x: Code, weights: Code): Code
  add(a: Code, b: Code): Code
  /** The sum as floats; `scale` is that of its columns. */
  toFloats(sum: Code, scale: Code): Code
}

export const FLOAT: Arithmetic = {
  addProducts: (sum, x, weights) => f32x4.add(sum, f32x4.mul(x, weights)),
  add: f32x4.add,
  toFloats: sum => sum,
}

export const FIXED: Arithmetic = {
  addProducts: (sum, x, weights) => i32x4.add(sum, i32x4.dot(x, weights)),
  add: i32x4.add,
  toFloats: (sum, scale) => f32x4.mul(f32x4.fromIntegers(sum), scale),
}

/** How sums are kept in registers: as many as a processor has, because each must wait for the sum before it. */
interface Tile {
  readonly rows: number
  /** Of a panel, at a time. */
  readonly vectors: number
  /** Sums of the same element, of every other step, that are added in the end. */
  readonly chains: number
}

const TILES: readonly Tile[] = [
  { rows: 1, vectors: 4, chains: 2 },
  { rows: 2, vectors: 4, chains: 1 },
  { rows: 3, vectors: 2, chains: 1 },
  { rows: 4, vectors: 2, chains: 1 },
]

/** `name` followed by the number of rows, one to four. */
export function multiplyKernels(name: string, arithmetic: Arithmetic): WasmFunction[] {
  return TILES.map(tile => multiply(`${name}${tile.rows}`, tile, arithmetic))
}

function multiply(name: string, tile: Tile, arithmetic: Arithmetic): WasmFunction {
  const variables = new Variables()
  const parameter = () => variables.parameter('i32')
  const [x, xStride, steps] = [parameter(), parameter(), parameter()]
  const [w, scales, panels] = [parameter(), parameter(), parameter()]
  const [y, yStride] = [parameter(), parameter()]
  const weight = variables.local('i32')
  const left = variables.local('i32')
  const xRows = Array.from({ length: tile.rows }, () => variables.local('i32'))
  const yRows = Array.from({ length: tile.rows }, () => variables.local('i32'))
  const place = (row: number, base: Variable, stride: Variable) =>
    i32.add(base.get, i32.mul(stride.get, i32.const(row)))
  const inner = innerLoop(variables, tile, arithmetic, { weight, left, xRows })

  const columns = (first: number): Code => [
    ...xRows.flatMap((xRow, row) => xRow.set(place(row, x, xStride))),
    ...weight.set(w.get),
    ...left.set(i32.shiftRight(steps.get, Math.log2(UNROLLED))),
    ...inner.run(first),
    ...yRows.flatMap((yRow, row) =>
      inner.sums(row).flatMap((sum, i) => {
        const at = (first + i) * VECTOR_BYTES
        const grown = arithmetic.toFloats(sum, v128.load(scales.get, at))
        return v128.store(yRow.get, f32x4.add(v128.load(yRow.get, at), grown), at)
      }),
    ),
  ]
  const passes = Array.from({ length: PANEL / LANES / tile.vectors }, (_, i) => columns(i * tile.vectors))
  const body = [
    ...yRows.flatMap((yRow, row) => yRow.set(place(row, y, yStride))),
    ...repeat(panels, [
      ...passes.flat(),
      ...w.set(weight.get),
      ...[scales, ...yRows].flatMap(pointer => pointer.advance(i32.const(PANEL * STEP_BYTES))),
    ]),
  ]
  return { name, ...variables, result: undefined, body }
}

interface Pointers {
  readonly weight: Variable
  /** Steps, in units of those that are unrolled. */
  readonly left: Variable
  readonly xRows: readonly Variable[]
}

function innerLoop(
  variables: Variables,
  { vectors, chains }: Tile,
  arithmetic: Arithmetic,
  { weight, left, xRows }: Pointers,
) {
  const vector = () => variables.local('v128')
  const sums = xRows.map(() => Array.from({ length: vectors * chains }, vector))
  const weights = Array.from({ length: vectors }, vector)
  const factor = vector()
  const step = (i: number, first: number): Code => [
    ...weights.flatMap((one, v) =>
      one.set(v128.load(weight.get, i * PANEL * STEP_BYTES + (first + v) * VECTOR_BYTES)),
    ),
    ...xRows.flatMap((xRow, row) => [
      ...factor.set(v128.loadSplat(xRow.get, i * STEP_BYTES)),
      ...weights.flatMap((one, v) => {
        const sum = sums[row]![(i % chains) * vectors + v]!
        return sum.set(arithmetic.addProducts(sum.get, factor.get, one.get))
      }),
    ]),
  ]
  return {
    /** Sums the vectors of a panel from `first` on. */
    run: (first: number): Code => [
      ...sums.flat().flatMap(sum => sum.set(f32x4.const(0))),
      ...repeat(left, [
        ...Array.from({ length: UNROLLED }, (_, i) => step(i, first)).flat(),
        ...weight.advance(i32.const(UNROLLED * PANEL * STEP_BYTES)),
        ...xRows.flatMap(xRow => xRow.advance(i32.const(UNROLLED * STEP_BYTES))),
      ]),
    ],
    sums: (row: number): Code[] =>
      Array.from({ length: vectors }, (_, v) =>
        sums[row]!.filter((_, i) => i % vectors === v)
          .map(sum => sum.get)
          .reduce(arithmetic.add),
      ),
  }
}
