// The nodes and weights of a small ONNX file.

import { ELEMENT, GRAPH, MODEL, NODE, TENSOR, VALUE_INFO } from './onnx-fields.ts'
import { type Field, ProtobufFile } from './protobuf.ts'

export interface OnnxNode {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

export interface OnnxTensor {
  readonly shape: readonly number[]
  readonly values: Float32Array
}

export interface OnnxGraph {
  /** In the order in which they run. */
  readonly nodes: readonly OnnxNode[]
  readonly inputs: readonly string[]
  /** The constant of this name, stored in 32 or 16 bits; undefined where there is none. */
  tensor(name: string | undefined): OnnxTensor | undefined
}

export function readOnnxGraph(path: string): OnnxGraph {
  const file = new ProtobufFile(path)
  try {
    for (const field of file.fields()) if (field.number === MODEL.graph) return readGraph(file, field)
    throw new Error('it holds no graph')
  } finally {
    file.close()
  }
}

function readGraph(file: ProtobufFile, graph: Field): OnnxGraph {
  const nodes: OnnxNode[] = []
  const inputs: string[] = []
  const tensors = new Map<string, OnnxTensor>()
  for (const field of file.fields(graph.start, graph.end)) {
    if (field.number === GRAPH.node) nodes.push(readNode(file, field))
    if (field.number === GRAPH.input) inputs.push(file.textWithin(field, VALUE_INFO.name))
    if (field.number === GRAPH.initializer) {
      const tensor = readTensor(file, field)
      if (tensor !== undefined) tensors.set(file.textWithin(field, TENSOR.name), tensor)
    }
  }
  // A constant that is stored in 16 bits is made one of 32 by a node.
  for (const {
    operator,
    inputs: [from],
    outputs: [to],
  } of nodes) {
    const tensor = tensors.get(from ?? '')
    if (operator === 'Cast' && tensor !== undefined) tensors.set(to!, tensor)
  }
  return { nodes, inputs, tensor: name => tensors.get(name ?? '') }
}

function readNode(file: ProtobufFile, field: Field): OnnxNode {
  const names = (number: number) => [...file.within(field, number)].map(name => file.text(name))
  return {
    operator: file.textWithin(field, NODE.operator),
    inputs: names(NODE.input),
    outputs: names(NODE.output),
  }
}

function readTensor(file: ProtobufFile, field: Field): OnnxTensor | undefined {
  const [type] = [...file.within(field, TENSOR.type)]
  const [raw] = [...file.within(field, TENSOR.raw)]
  if (raw === undefined) return undefined
  const shape = [...file.within(field, TENSOR.dimension)].map(({ value }) => value)
  const bytes = file.bytes(raw)
  if (type?.value === ELEMENT.float) return { shape, values: readFloats(bytes) }
  if (type?.value === ELEMENT.half) return { shape, values: readHalves(bytes) }
  return undefined
}

function readFloats(bytes: Buffer): Float32Array {
  const values = new Float32Array(bytes.length / 4)
  for (let i = 0; i < values.length; i++) values[i] = bytes.readFloatLE(4 * i)
  return values
}

/** A million of them are read at the start of an engine. There are only 65,536 different 16-bit numbers, so each is converted once. */
function readHalves(bytes: Buffer): Float32Array {
  halves ??= Float32Array.from({ length: 2 ** 16 }, (_, half) => halfToNumber(half))
  const values = new Float32Array(bytes.length / 2)
  for (let i = 0; i < values.length; i++) values[i] = halves[bytes[2 * i]! | (bytes[2 * i + 1]! << 8)]!
  return values
}

let halves: Float32Array | undefined

/** IEEE 754 with 5 bits of exponent and 10 of mantissa. */
function halfToNumber(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 0x1f
  const mantissa = half & 0x3ff
  if (exponent === 0) return sign * mantissa * 2 ** -24
  if (exponent === 0x1f) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15)
}
