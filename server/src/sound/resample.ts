// The client's resampler with its multiplications in WebAssembly, with 128-bit vectors: a third to a sixth of the time of the same loop in JavaScript.

import { type CreateResampler, type FilterMemory, resamplersWith } from '@sauti/client/speech'
import { assemble, f32, f32x4, i32, repeat, Variables, v128, type WasmFunction } from '../wasm/assembler.ts'
import { FLOAT_BYTES, Instance, Module, reserveFloats } from '../wasm/web-assembly.ts'

const VECTOR_BYTES = 16
/** Two sums, because each addition has to wait for the one before it. */
const FLOATS_PER_STEP = 8

interface Exports {
  /** Addresses in bytes. */
  multiply(weights: number, samples: number, steps: number): number
}

const kernel = new Module(assemble([], [multiply()]))

export const createResampler: CreateResampler = resamplersWith(reserve)

function reserve(length: number): FilterMemory {
  const memory = reserveFloats(length)
  const exports = new Instance(kernel, { host: { memory } }).exports as Exports
  return {
    floats: new Float32Array(memory.buffer),
    multiply: (weights, samples, count) =>
      exports.multiply(weights * FLOAT_BYTES, samples * FLOAT_BYTES, count / FLOATS_PER_STEP),
  }
}

function multiply(): WasmFunction {
  const variables = new Variables()
  const weights = variables.parameter('i32')
  const samples = variables.parameter('i32')
  const steps = variables.parameter('i32')
  const sums = [variables.local('v128'), variables.local('v128')] as const
  const addProducts = sums.flatMap((sum, n) => {
    const offset = n * VECTOR_BYTES
    const product = f32x4.mul(v128.load(weights.get, offset), v128.load(samples.get, offset))
    return sum.set(f32x4.add(sum.get, product))
  })
  const next = [weights, samples].flatMap(address =>
    address.advance(i32.const(FLOATS_PER_STEP * FLOAT_BYTES)),
  )
  const [first, second] = sums
  const lane = (n: number) => f32x4.lane(first.get, n)
  const body = [
    ...repeat(steps, [...addProducts, ...next]),
    ...first.set(f32x4.add(first.get, second.get)),
    ...f32.add(f32.add(lane(0), lane(1)), f32.add(lane(2), lane(3))),
  ]
  return { name: 'multiply', parameters: variables.parameters, result: 'f32', locals: variables.locals, body }
}
