// What the small networks do with one number after the other: activations, an LSTM's cell, probabilities from scores.

import {
  type Code,
  call,
  f32,
  f32x4,
  i16x8,
  i32,
  i32x4,
  repeat,
  type Variable,
  Variables,
  v128,
  type WasmFunction,
} from '../../../wasm/assembler.ts'

const VECTOR_BYTES = 16
/** Functions are called by their places in the module; see `kernels.ts`. */
const LOGARITHM_INDEX = 0
const EXPONENTIAL_INDEX = 1

export function relu(x: Code): Code {
  return f32x4.max(x, f32x4.const(0))
}

/** Values between -1 and 1 become 16-bit fixed-point numbers, eight at a time. */
export function toFixed(one: number): WasmFunction {
  const variables = new Variables()
  const from = variables.parameter('i32')
  const to = variables.parameter('i32')
  const pairs = variables.parameter('i32')
  const fixed = (offset: number) =>
    i32x4.fromFloats(f32x4.nearest(f32x4.mul(v128.load(from.get, offset), f32x4.const(one))))
  const body = repeat(pairs, [
    ...v128.store(to.get, i16x8.narrow(fixed(0), fixed(VECTOR_BYTES))),
    ...from.advance(i32.const(2 * VECTOR_BYTES)),
    ...to.advance(i32.const(VECTOR_BYTES)),
  ])
  return { name: 'toFixed', ...variables, result: undefined, body }
}

export function addActivated(name: string, activate: (x: Code) => Code): WasmFunction {
  const variables = new Variables()
  const a = variables.parameter('i32')
  const b = variables.parameter('i32')
  const out = variables.parameter('i32')
  const vectors = variables.parameter('i32')
  const body = repeat(vectors, [
    ...v128.store(out.get, activate(f32x4.add(v128.load(a.get), v128.load(b.get)))),
    ...[a, b, out].flatMap(pointer => pointer.advance(i32.const(VECTOR_BYTES))),
  ])
  return { name, ...variables, result: undefined, body }
}

export function lstm(): WasmFunction {
  const variables = new Variables()
  const gates = variables.parameter('i32')
  const cell = variables.parameter('i32')
  const hidden = variables.parameter('i32')
  const vectors = variables.parameter('i32')
  const size = variables.local('i32')
  const gate = (i: number) => v128.load(i32.add(gates.get, i32.mul(size.get, i32.const(i))))
  const [input, output, forget, candidate] = [0, 1, 2, 3].map(gate) as [Code, Code, Code, Code]
  const kept = f32x4.mul(sigmoid(forget), v128.load(cell.get))
  const added = f32x4.mul(sigmoid(input), tanh(candidate))
  const body = [
    ...size.set(i32.mul(vectors.get, i32.const(VECTOR_BYTES))),
    ...repeat(vectors, [
      ...v128.store(cell.get, f32x4.add(kept, added)),
      ...v128.store(hidden.get, f32x4.mul(sigmoid(output), tanh(v128.load(cell.get)))),
      ...[gates, cell, hidden].flatMap(pointer => pointer.advance(i32.const(VECTOR_BYTES))),
    ]),
  ]
  return { name: 'lstm', ...variables, result: undefined, body }
}

export function logSoftmax(): WasmFunction {
  const variables = new Variables()
  const scores = variables.parameter('i32')
  const vectors = variables.parameter('i32')
  const at = variables.local('i32')
  const left = variables.local('i32')
  const largest = variables.local('v128')
  const sum = variables.local('v128')
  const overAll = (step: Code): Code => [
    ...at.set(scores.get),
    ...left.set(vectors.get),
    ...repeat(left, [...step, ...at.advance(i32.const(VECTOR_BYTES))]),
  ]
  const shifted = f32x4.sub(v128.load(at.get), largest.get)
  const body = [
    ...largest.set(v128.load(scores.get)),
    ...overAll(largest.set(f32x4.max(largest.get, v128.load(at.get)))),
    ...largest.set(f32x4.splat(acrossLanes(f32.max, largest))),
    ...sum.set(f32x4.const(0)),
    ...overAll(sum.set(f32x4.add(sum.get, powerOfE(shifted)))),
    ...sum.set(f32x4.splat(call(LOGARITHM_INDEX, acrossLanes(f32.add, sum)))),
    ...largest.set(f32x4.add(largest.get, sum.get)),
    ...overAll(v128.store(at.get, shifted)),
  ]
  return { name: 'logSoftmax', ...variables, result: undefined, body }
}

/** 1 - 2 / (1 + e^2x) */
export function tanh(x: Code): Code {
  const power = powerOfE(f32x4.mul(x, f32x4.const(2)))
  return f32x4.sub(f32x4.const(1), f32x4.div(f32x4.const(2), f32x4.add(f32x4.const(1), power)))
}

/** 1 / (1 + e^-x) */
function sigmoid(x: Code): Code {
  const power = powerOfE(f32x4.mul(x, f32x4.const(-1)))
  return f32x4.div(f32x4.const(1), f32x4.add(f32x4.const(1), power))
}

function powerOfE(x: Code): Code {
  return call(EXPONENTIAL_INDEX, x)
}

/** Beyond it a 32-bit float overflows. */
const LARGEST_POWER = 87
/** ln 2 in two parts, the first with few bits, so that its product with a whole number is exact. */
const LN2_HIGH = 0.693359375
const LN2_LOW = Math.LN2 - LN2_HIGH
/** The Taylor series from its eighth term down. For what is left of x, within ln 2 / 2 of 0, the next term is below 1e-8. */
const SERIES = [1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1]
const EXPONENT_BIAS = 127
const MANTISSA_BITS = 23

/** e^x as 2^whole e^rest: the first is the exponent of a float, the second a polynomial. */
export function exponential(): WasmFunction {
  const variables = new Variables()
  const x = variables.parameter('v128')
  const whole = variables.local('v128')
  const times = (factor: number) => f32x4.mul(whole.get, f32x4.const(factor))
  const limited = f32x4.max(f32x4.min(x.get, f32x4.const(LARGEST_POWER)), f32x4.const(-LARGEST_POWER))
  const exponent = i32x4.add(i32x4.fromFloats(whole.get), i32x4.const(EXPONENT_BIAS))
  const series = SERIES.map(f32x4.const).reduce((sum, term) => f32x4.add(f32x4.mul(sum, x.get), term))
  const body = [
    ...x.set(limited),
    ...whole.set(f32x4.nearest(f32x4.mul(x.get, f32x4.const(Math.LOG2E)))),
    ...x.set(f32x4.sub(f32x4.sub(x.get, times(LN2_HIGH)), times(LN2_LOW))),
    ...f32x4.mul(series, i32x4.shiftLeft(exponent, MANTISSA_BITS)),
  ]
  return { name: 'exponential', ...variables, result: 'v128', body }
}

function acrossLanes(combine: (a: Code, b: Code) => Code, vector: Variable): Code {
  const [a, b, c, d] = [0, 1, 2, 3].map(lane => f32x4.lane(vector.get, lane)) as [Code, Code, Code, Code]
  return combine(combine(a, b), combine(c, d))
}
