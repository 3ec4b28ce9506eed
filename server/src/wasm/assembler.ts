// Assembles a WebAssembly module. Instructions are written as nested calls that return their bytes, so a kernel reads like the expression
// that it computes and no compiler is needed to build the service. Only what the kernels use is here.

/** Bytes of instructions. */
export type Code = readonly number[]

export type ValueType = 'i32' | 'f32' | 'v128'

const TYPE_BYTE: Readonly<Record<ValueType, number>> = { i32: 0x7f, f32: 0x7d, v128: 0x7b }
const FUNCTION_TYPE = 0x60
const NO_RESULT = 0x40
const END = 0x0b
const SIMD = 0xfd

export interface WasmFunction {
  readonly name: string
  readonly parameters: readonly ValueType[]
  readonly result: ValueType | undefined
  readonly locals: readonly ValueType[]
  readonly body: Code
}

/** A function of the host that the module calls. */
export interface Import {
  readonly name: string
  readonly parameters: readonly ValueType[]
  readonly result: ValueType
}

/** The variables of the function that is being written. */
export class Variables {
  readonly parameters: ValueType[] = []
  readonly locals: ValueType[] = []

  parameter(type: ValueType): Variable {
    this.parameters.push(type)
    return new Variable(this.parameters.length - 1)
  }

  /** All parameters come first. */
  local(type: ValueType): Variable {
    this.locals.push(type)
    return new Variable(this.parameters.length + this.locals.length - 1)
  }
}

export class Variable {
  readonly #index: number

  constructor(index: number) {
    this.#index = index
  }

  get get(): Code {
    return [0x20, ...unsigned(this.#index)]
  }

  set(value: Code): Code {
    return [...value, 0x21, ...unsigned(this.#index)]
  }

  /** Adds to a pointer or a count. */
  advance(by: Code): Code {
    return this.set(i32.add(this.get, by))
  }
}

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  add: (a: Code, b: Code): Code => [...a, ...b, 0x6a],
  mul: (a: Code, b: Code): Code => [...a, ...b, 0x6c],
  shiftRight: (a: Code, bits: number): Code => [...a, ...i32.const(bits), 0x76],
}

export const f32 = {
  add: (a: Code, b: Code): Code => [...a, ...b, 0x92],
  max: (a: Code, b: Code): Code => [...a, ...b, 0x97],
}

export const v128 = {
  load: (address: Code, offset = 0): Code => [...address, ...simd(0x00), 4, ...unsigned(offset)],
  /** One float in all four lanes. */
  loadSplat: (address: Code, offset = 0): Code => [...address, ...simd(0x09), 2, ...unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    ...simd(0x0b),
    4,
    ...unsigned(offset),
  ],
}

export const f32x4 = {
  const: (value: number): Code => [
    ...simd(0x0c),
    ...new Uint8Array(Float32Array.of(value, value, value, value).buffer),
  ],
  splat: (value: Code): Code => [...value, ...simd(0x13)],
  lane: (value: Code, lane: number): Code => [...value, ...simd(0x1f), lane],
  fromIntegers: (a: Code): Code => [...a, ...simd(0xfa)],
  nearest: (a: Code): Code => [...a, ...simd(0x6a)],
  add: (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe4)],
  sub: (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe5)],
  mul: (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe6)],
  div: (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe7)],
  min: (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe8)],
  max: (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe9)],
}

export const i32x4 = {
  const: (value: number): Code => [
    ...simd(0x0c),
    ...new Uint8Array(Int32Array.of(value, value, value, value).buffer),
  ],
  add: (a: Code, b: Code): Code => [...a, ...b, ...simd(0xae)],
  shiftLeft: (a: Code, bits: number): Code => [...a, ...i32.const(bits), ...simd(0xab)],
  fromFloats: (a: Code): Code => [...a, ...simd(0xf8)],
  /** Products of eight 16-bit numbers, added in pairs. */
  dot: (a: Code, b: Code): Code => [...a, ...b, ...simd(0xba)],
}

export const i16x8 = {
  /** Two vectors of four 32-bit numbers. */
  narrow: (a: Code, b: Code): Code => [...a, ...b, ...simd(0x85)],
}

/** Runs the body `count` times, at least once; `count` is 0 afterwards. */
export function repeat(count: Variable, body: Code): Code {
  const next = count.advance(i32.const(-1))
  return [0x03, NO_RESULT, ...body, ...next, ...count.get, 0x0d, 0, END]
}

/** Calls a function by its place: imports first, then functions, in the order in which the module lists them. */
export function call(index: number, ...values: readonly Code[]): Code {
  return [...values.flat(), 0x10, ...unsigned(index)]
}

/** The module's memory is imported as `host.memory`, functions of the host by their names. */
export function assemble(
  imports: readonly Import[],
  functions: readonly WasmFunction[],
): Uint8Array<ArrayBuffer> {
  const types = [...imports, ...functions].map(({ parameters, result }) => [
    FUNCTION_TYPE,
    ...list(parameters.map(type => [TYPE_BYTE[type]])),
    ...list(result === undefined ? [] : [[TYPE_BYTE[result]]]),
  ])
  const memory = [...text('host'), ...text('memory'), 0x02, 0x00, 0x01]
  const importEntries = imports.map(({ name }, i) => [...text('host'), ...text(name), 0x00, ...unsigned(i)])
  const sections = [
    section(1, list(types)),
    section(2, list([memory, ...importEntries])),
    section(3, list(functions.map((_, i) => unsigned(imports.length + i)))),
    section(7, list(functions.map(({ name }, i) => [...text(name), 0x00, ...unsigned(imports.length + i)]))),
    section(10, list(functions.map(functionBody))),
  ]
  return Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, ...sections.flat()])
}

function functionBody({ locals, body }: WasmFunction): Code {
  const bytes = [...list(locals.map(type => [1, TYPE_BYTE[type]])), ...body, END]
  return [...unsigned(bytes.length), ...bytes]
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content]
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()]
}

function text(value: string): Code {
  const bytes = new TextEncoder().encode(value)
  return [...unsigned(bytes.length), ...bytes]
}

function simd(operation: number): Code {
  return [SIMD, ...unsigned(operation)]
}

/** LEB128, as all numbers of a module. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: number): Code {
  const isLast = value >= -64 && value < 64
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}
