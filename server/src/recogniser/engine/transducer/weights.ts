// Finds the weights of the transducer's small networks in their ONNX files, where these are built as usual: an embedding and LSTM layers;
// a matrix for the frame and one for the prediction, their sum through one activation, and a matrix to the scores. Anything else is left
// to the ONNX Runtime.

import { type OnnxGraph, type OnnxNode, type OnnxTensor, readOnnxGraph } from '../../package/onnx-graph.ts'

/** [rows, columns], row by row. */
export interface DenseMatrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

/** y = x times weight + bias */
export interface Linear {
  readonly weight: DenseMatrix
  readonly bias: Float32Array
}

/** Gates in the order of ONNX: input, output, forget, cell. */
export interface LstmLayer {
  /** [4 x hidden, inputs] */
  readonly input: DenseMatrix
  /** [4 x hidden, hidden] */
  readonly recurrent: DenseMatrix
  readonly bias: Float32Array
}

export interface TransducerWeights {
  /** A row for each piece and the blank. */
  readonly embedding: DenseMatrix
  readonly layers: readonly LstmLayer[]
  readonly frame: Linear
  readonly prediction: Linear
  readonly output: Linear
  readonly activation: 'tanh' | 'relu'
}

/** Undefined where the graphs are built in another way. */
export function findWeights(decoderPath: string, joinerPath: string): TransducerWeights | undefined {
  const decoder = findDecoder(readOnnxGraph(decoderPath))
  const joiner = findJoiner(readOnnxGraph(joinerPath))
  return decoder && joiner && { ...decoder, ...joiner }
}

function findDecoder(graph: OnnxGraph): Pick<TransducerWeights, 'embedding' | 'layers'> | undefined {
  const gather = graph.nodes.find(({ operator }) => operator === 'Gather')
  const embedding = matrix(gather && graph.tensor(gather.inputs[0]))
  const layers = graph.nodes.filter(({ operator }) => operator === 'LSTM').map(node => findLayer(graph, node))
  if (embedding === undefined || layers.length === 0) return undefined
  return layers.every(layer => layer !== undefined) ? { embedding, layers } : undefined
}

function findLayer(graph: OnnxGraph, { inputs }: OnnxNode): LstmLayer | undefined {
  const [input, recurrent] = [matrix(graph.tensor(inputs[1])), matrix(graph.tensor(inputs[2]))]
  const biases = graph.tensor(inputs[3])
  if (input === undefined || recurrent === undefined || biases === undefined) return undefined
  // One bias for the input and one for the state, which are only ever added.
  const size = input.rows
  const bias = biases.values.slice(0, size).map((value, i) => value + biases.values[size + i]!)
  return { input, recurrent, bias }
}

function findJoiner(graph: OnnxGraph): Omit<TransducerWeights, 'embedding' | 'layers'> | undefined {
  const [frameInput, predictionInput] = graph.inputs as [string, string]
  const ofFrame = dependents(graph.nodes, frameInput)
  const ofPrediction = dependents(graph.nodes, predictionInput)
  const linears = graph.nodes.filter(({ operator }) => operator === 'MatMul')
  const find = (fromFrame: boolean, fromPrediction: boolean) => {
    const found = linears.filter(
      ({ inputs: [x] }) => ofFrame.has(x!) === fromFrame && ofPrediction.has(x!) === fromPrediction,
    )
    return found.length === 1 ? findLinear(graph, found[0]!) : undefined
  }
  const [frame, prediction, output] = [find(true, false), find(false, true), find(true, true)]
  const activations = graph.nodes.filter(({ operator }) => operator === 'Tanh' || operator === 'Relu')
  if (!frame || !prediction || !output || activations.length !== 1) return undefined
  return { frame, prediction, output, activation: activations[0]!.operator === 'Tanh' ? 'tanh' : 'relu' }
}

/** A matrix and the bias that is added right after it. */
export function findLinear(graph: OnnxGraph, { inputs, outputs }: OnnxNode): Linear | undefined {
  const weight = matrix(graph.tensor(inputs[1]))
  const add = graph.nodes.find(node => node.operator === 'Add' && node.inputs.includes(outputs[0]!))
  const bias = add?.inputs.map(name => graph.tensor(name)).find(tensor => tensor !== undefined)
  return weight && bias && { weight, bias: bias.values }
}

/** The value and everything that is computed from it. */
function dependents(nodes: readonly OnnxNode[], value: string): ReadonlySet<string> {
  const found = new Set([value])
  // Nodes stand in the order in which they run.
  for (const { inputs, outputs } of nodes) {
    if (inputs.some(input => found.has(input))) for (const output of outputs) found.add(output)
  }
  return found
}

/** Leading dimensions of 1 are left out. */
function matrix(tensor: OnnxTensor | undefined): DenseMatrix | undefined {
  if (tensor === undefined) return undefined
  const sizes = tensor.shape.slice(-2)
  if (sizes.length < 2 || sizes[0]! * sizes[1]! !== tensor.values.length) return undefined
  return { rows: sizes[0]!, columns: sizes[1]!, values: tensor.values }
}
