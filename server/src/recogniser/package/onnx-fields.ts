// The numbers of the fields of an ONNX file that we read.

export const MODEL = { graph: 7, metadata: 14 }
export const GRAPH = { node: 1, initializer: 5, input: 11, output: 12 }
export const NODE = { input: 1, output: 2, operator: 4 }
export const TENSOR = { dimension: 1, type: 2, name: 8, raw: 9, externalEntry: 13 }
export const ENTRY = { key: 1, value: 2 }
export const VALUE_INFO = { name: 1, type: 2 }
export const TYPE = { tensor: 1 }
export const TENSOR_TYPE = { shape: 2 }
export const SHAPE = { dimension: 1 }
export const DIMENSION = { value: 1, name: 2 }
/** Types of a tensor's elements. */
export const ELEMENT = { float: 1, half: 10 }
