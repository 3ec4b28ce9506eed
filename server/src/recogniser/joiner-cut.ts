// Step 5: the joiner as three graphs. It does most of its work on a frame alone and on a prediction alone, before the two meet. Cut where they
// meet, each is prepared once, and not again for everything that it is held against: the same arithmetic for less than half the cost.

import { FLOAT, GRAPH, MODEL, NODE, TENSOR, TENSOR_TYPE, TYPE, VALUE_INFO } from './onnx-fields.ts'
import { type Field, ProtobufFile } from './protobuf.ts'
import { bytesField, numberField, textField } from './protobuf-message.ts'

/** ONNX models. */
export interface JoinerCut {
  /** From encoded frames to prepared ones. */
  readonly frames: Uint8Array
  /** From predictions to prepared ones. */
  readonly predictions: Uint8Array
  /** From both to scores. */
  readonly scores: Uint8Array
}

interface Node {
  readonly field: Field
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

interface Graph {
  readonly file: ProtobufFile
  /** What every part of the model needs beside its graph. */
  readonly head: readonly Uint8Array[]
  readonly nodes: Node[]
  readonly weights: Map<string, Field>
  /** Inputs and outputs of the whole. */
  readonly inputs: Map<string, Field>
  readonly outputs: Map<string, Field>
}

/** Undefined where frames and predictions do not meet in one place, or the weights lie in other files. */
export function cutJoiner(path: string): JoinerCut | undefined {
  const file = new ProtobufFile(path)
  try {
    const graph = readModel(file)
    const [frame, prediction] = [...graph.inputs.keys()] as [string, string]
    const [scores] = [...graph.outputs.keys()] as [string]
    const meeting = findMeeting(graph, frame, prediction)
    if (meeting === undefined || isExternal(graph)) return undefined
    return {
      frames: extract(graph, [frame], meeting.frame),
      predictions: extract(graph, [prediction], meeting.prediction),
      scores: extract(graph, [meeting.frame, meeting.prediction], scores),
    }
  } finally {
    file.close()
  }
}

function readModel(file: ProtobufFile): Graph {
  const head: Uint8Array[] = []
  const graph: Graph = {
    file,
    head,
    nodes: [],
    weights: new Map(),
    inputs: new Map(),
    outputs: new Map(),
  }
  for (const field of file.fields()) {
    if (field.number === MODEL.irVersion) head.push(numberField(field.number, field.value))
    if (field.number === MODEL.operatorSets || field.number === MODEL.functions)
      head.push(bytesField(field.number, file.bytes(field)))
    if (field.number === MODEL.graph) readGraph(graph, field)
  }
  return graph
}

function readGraph({ file, nodes, weights, inputs, outputs }: Graph, graph: Field): void {
  for (const field of file.fields(graph.start, graph.end)) {
    if (field.number === GRAPH.node) nodes.push(readNode(file, field))
    if (field.number === GRAPH.initializer) weights.set(file.textWithin(field, TENSOR.name), field)
    if (field.number === GRAPH.input) inputs.set(file.textWithin(field, VALUE_INFO.name), field)
    if (field.number === GRAPH.output) outputs.set(file.textWithin(field, VALUE_INFO.name), field)
  }
}

function readNode(file: ProtobufFile, field: Field): Node {
  const names = (number: number) => [...file.within(field, number)].map(name => file.text(name))
  return { field, inputs: names(NODE.input), outputs: names(NODE.output) }
}

function isExternal({ file, weights }: Graph): boolean {
  return [...weights.values()].some(weight => [...file.within(weight, TENSOR.externalEntry)].length > 0)
}

/** The last values of a frame alone and of a prediction alone, where there is one of each. */
function findMeeting({ nodes }: Graph, frame: string, prediction: string) {
  const ofFrame = dependents(nodes, frame)
  const ofPrediction = dependents(nodes, prediction)
  const joined = nodes.filter(({ outputs }) =>
    outputs.some(output => ofFrame.has(output) && ofPrediction.has(output)),
  )
  const met = [...new Set(joined.flatMap(({ inputs }) => inputs))]
  const frames = met.filter(value => ofFrame.has(value) && !ofPrediction.has(value))
  const predictions = met.filter(value => ofPrediction.has(value) && !ofFrame.has(value))
  if (frames.length !== 1 || predictions.length !== 1) return undefined
  if (frames[0] === frame || predictions[0] === prediction) return undefined
  return { frame: frames[0]!, prediction: predictions[0]! }
}

/** The value and all that is made of it. */
function dependents(nodes: readonly Node[], value: string): ReadonlySet<string> {
  const found = new Set([value])
  // Nodes stand in the order in which they run.
  for (const { inputs, outputs } of nodes) {
    if (inputs.some(input => found.has(input))) for (const output of outputs) found.add(output)
  }
  return found
}

/** The nodes and weights that make `to` of `from`, as a model of its own. */
function extract(graph: Graph, from: readonly string[], to: string): Uint8Array {
  const { file, head, weights } = graph
  const wanted = new Set([to])
  const nodes: Node[] = []
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some(output => wanted.has(output) && !from.includes(output))) continue
    nodes.unshift(node)
    for (const input of node.inputs) wanted.add(input)
  }
  const parts = [
    ...nodes.map(({ field }) => bytesField(GRAPH.node, file.bytes(field))),
    textField(GRAPH.name, to),
    ...[...weights]
      .filter(([name]) => wanted.has(name))
      .map(([, field]) => bytesField(GRAPH.initializer, file.bytes(field))),
    ...from.map(name => bytesField(GRAPH.input, describe(graph, name))),
    bytesField(GRAPH.output, describe(graph, to)),
  ]
  return Buffer.concat([...head, bytesField(MODEL.graph, Buffer.concat(parts))])
}

/** As the whole graph describes it, or, where the cut goes through it, as floating-point numbers of any shape. */
function describe({ file, inputs, outputs }: Graph, name: string): Uint8Array {
  const known = inputs.get(name) ?? outputs.get(name)
  if (known !== undefined) return file.bytes(known)
  const tensor = bytesField(TYPE.tensor, numberField(TENSOR_TYPE.element, FLOAT))
  return Buffer.concat([textField(VALUE_INFO.name, name), bytesField(VALUE_INFO.type, tensor)])
}
