// Whether an ONNX file is the network that the manifest describes, and the few facts that only the graph itself contains.

import type { Manifest } from './manifest.ts'
import type { Dimension, OnnxDescription } from './onnx-metadata.ts'

export const GRAPH_PARTS = ['encoder', 'decoder', 'joiner'] as const
export type GraphPart = (typeof GRAPH_PARTS)[number]
export type Graphs = Record<GraphPart, OnnxDescription>

/** These make a result depend on what else is in the batch: such a network is run one row at a time. */
const DYNAMIC_QUANTISERS = ['DynamicQuantizeLinear', 'DynamicQuantizeMatMul', 'DynamicQuantizeLSTM']

export interface GraphFacts {
  /** Width of the encoder's output. */
  readonly encodedSize: number
  /** Whether a step may have any number of frames; otherwise it must have exactly the window's. */
  readonly anyFrames: boolean
  /** Whether the encoder may take several utterances in one run. */
  readonly encodesBatches: boolean
  /** Whether decoder and joiner may take several rows in one run without changing what they say. */
  readonly joinsBatches: boolean
}

export function graphFacts({ encoder, decoder, joiner }: Graphs, manifest: Manifest): GraphFacts {
  const [batch, encodedSize] = joiner.inputs[0]!.shape
  const isFixed = [batch, decoder.inputs[0]!.shape[0]].some(size => typeof size === 'number')
  return {
    encodedSize: typeof encodedSize === 'number' ? encodedSize : manifest.encoder.dim,
    anyFrames: typeof encoder.inputs[0]!.shape[2] !== 'number',
    encodesBatches: typeof encoder.inputs[0]!.shape[0] !== 'number' && !followsSignal(encoder),
    joinsBatches: !isFixed && !followsSignal(joiner) && !followsSignal(decoder),
  }
}

function followsSignal({ operators }: OnnxDescription): boolean {
  return DYNAMIC_QUANTISERS.some(kind => operators.has(kind))
}

type ExpectedShape = readonly (number | null)[]

/** Says what does not fit, or nothing. */
export function graphMismatch(
  part: GraphPart,
  graph: OnnxDescription,
  manifest: Manifest,
): string | undefined {
  const expected = expectedInputs(manifest)[part]
  if (graph.inputs.length < expected.length) {
    return `it has ${graph.inputs.length} inputs, not ${expected.length}`
  }
  for (const [i, shape] of expected.entries()) {
    const { name, shape: actual } = graph.inputs[i]!
    if (!fits(actual, shape))
      return `input ${name} is [${actual.join(', ')}], which does not fit the manifest`
  }
  return part === 'encoder' ? promptMismatch(graph, manifest) : vocabularyMismatch(part, graph, manifest)
}

/** The contract's shapes; null where the graph is free. */
function expectedInputs({ encoder, decoder, features }: Manifest): Record<GraphPart, ExpectedShape[]> {
  const state = [decoder.layers, null, decoder.hidden]
  return {
    encoder: [
      [null, features.mel_bins, null],
      [null],
      [null, encoder.layers, encoder.left, encoder.dim],
      [null, encoder.layers, encoder.dim, encoder.conv_cache],
      [null],
    ],
    decoder: [[null, null], [null], state, state],
    joiner: [
      [null, null, null],
      [null, decoder.hidden, null],
    ],
  }
}

function promptMismatch(graph: OnnxDescription, manifest: Manifest): string | undefined {
  const prompted = graph.inputs.some(input => input.name === 'prompt_index')
  if (prompted === (manifest.prompt_index !== null)) return undefined
  return prompted ? 'it needs a prompt_index' : 'it takes no prompt_index'
}

function vocabularyMismatch(part: GraphPart, graph: OnnxDescription, manifest: Manifest): string | undefined {
  const symbols = graph.outputs[0]!.shape.at(-1)
  if (part !== 'joiner' || typeof symbols !== 'number' || symbols === manifest.vocab_size + 1)
    return undefined
  return `it scores ${symbols} symbols, not ${manifest.vocab_size + 1}`
}

function fits(actual: readonly Dimension[], expected: ExpectedShape): boolean {
  if (actual.length === 0) return true
  return (
    actual.length === expected.length &&
    expected.every((size, i) => size === null || typeof actual[i] === 'string' || actual[i] === size)
  )
}
