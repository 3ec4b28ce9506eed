// The numbers of the fields of an ONNX file that we read or write.

export const MODEL = { irVersion: 1, graph: 7, operatorSets: 8, metadata: 14, functions: 25 }
export const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 }
export const NODE = { input: 1, output: 2, operator: 4 }
export const TENSOR = { name: 8, externalEntry: 13 }
export const ENTRY = { key: 1, value: 2 }
export const VALUE_INFO = { name: 1, type: 2 }
export const TYPE = { tensor: 1 }
export const TENSOR_TYPE = { element: 1, shape: 2 }
export const SHAPE = { dimension: 1 }
export const DIMENSION = { value: 1, name: 2 }
/** Of an element's type. */
export const FLOAT = 1
