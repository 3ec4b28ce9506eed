// What an ONNX file says about itself: its metadata strings, the shapes of its inputs and outputs, the kinds of its nodes. The
// runtime's Node binding does not expose the metadata, so the few fields are read from the file.

import {
  DIMENSION,
  ENTRY,
  GRAPH,
  MODEL,
  NODE,
  SHAPE,
  TENSOR,
  TENSOR_TYPE,
  TYPE,
  VALUE_INFO,
} from './onnx-fields.ts'
import { type Field, ProtobufFile } from './protobuf.ts'

/** A fixed size, or the name of a size that may vary. */
export type Dimension = number | string

export interface OnnxValue {
  readonly name: string
  readonly shape: readonly Dimension[]
}

export interface OnnxDescription {
  readonly metadata: ReadonlyMap<string, string>
  readonly inputs: readonly OnnxValue[]
  readonly outputs: readonly OnnxValue[]
  readonly operators: ReadonlySet<string>
  /** Files beside the ONNX file that hold its weights, when it was too large to hold them itself. */
  readonly externalFiles: ReadonlySet<string>
}

/** Throws an Error that says what is wrong with the file; the caller knows which file it is. */
export function describeOnnx(path: string): OnnxDescription {
  const file = new ProtobufFile(path)
  try {
    return describeModel(file)
  } finally {
    file.close()
  }
}

function describeModel(file: ProtobufFile): OnnxDescription {
  const metadata = new Map<string, string>()
  const graph: GraphParts = { inputs: [], outputs: [], operators: new Set(), externalFiles: new Set() }
  for (const field of file.fields()) {
    if (field.number === MODEL.metadata) metadata.set(...readEntry(file, field))
    if (field.number === MODEL.graph) readGraph(file, field, graph)
  }
  if (graph.inputs.length === 0 || graph.outputs.length === 0) throw new Error('it holds no graph')
  return { metadata, ...graph }
}

interface GraphParts {
  readonly inputs: OnnxValue[]
  readonly outputs: OnnxValue[]
  readonly operators: Set<string>
  readonly externalFiles: Set<string>
}

function readGraph(file: ProtobufFile, graph: Field, into: GraphParts): void {
  for (const field of file.fields(graph.start, graph.end)) {
    if (field.number === GRAPH.input) into.inputs.push(readValue(file, field))
    if (field.number === GRAPH.output) into.outputs.push(readValue(file, field))
    if (field.number === GRAPH.node) into.operators.add(file.textWithin(field, NODE.operator))
    if (field.number === GRAPH.initializer) readExternal(file, field, into.externalFiles)
  }
}

function readExternal(file: ProtobufFile, tensor: Field, files: Set<string>): void {
  for (const entry of file.within(tensor, TENSOR.externalEntry)) {
    const [key, value] = readEntry(file, entry)
    if (key === 'location') files.add(value)
  }
}

function readEntry(file: ProtobufFile, entry: Field): [string, string] {
  return [file.textWithin(entry, ENTRY.key), file.textWithin(entry, ENTRY.value)]
}

function readValue(file: ProtobufFile, info: Field): OnnxValue {
  const shape: Dimension[] = []
  for (const type of file.within(info, VALUE_INFO.type)) {
    for (const tensor of file.within(type, TYPE.tensor)) {
      for (const dimensions of file.within(tensor, TENSOR_TYPE.shape)) {
        for (const dimension of file.within(dimensions, SHAPE.dimension))
          shape.push(readDimension(file, dimension))
      }
    }
  }
  return { name: file.textWithin(info, VALUE_INFO.name), shape }
}

function readDimension(file: ProtobufFile, dimension: Field): Dimension {
  for (const field of file.fields(dimension.start, dimension.end)) {
    if (field.number === DIMENSION.value) return field.value
    if (field.number === DIMENSION.name) return file.text(field)
  }
  return ''
}
