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
export const { Memory, Module, Instance } = WebAssembly
