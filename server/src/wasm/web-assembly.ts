// The few parts of the WebAssembly interface that are used. Its types belong to those of browsers, which a server does not load.

export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

interface WebAssemblyInterface {
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface }
export const { Module, Instance } = WebAssembly

export const FLOAT_BYTES = 4
const PAGE_BYTES = 65_536

/** Room for so many floats, all zeros. */
export function reserveFloats(length: number): WasmMemory {
  return new WebAssembly.Memory({ initial: Math.ceil((length * FLOAT_BYTES) / PAGE_BYTES) })
}
