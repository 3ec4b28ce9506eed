// Step 6, language: which piece is likely after the last few, learned from text alone (`training/language_model.py` writes the file). The
// search adds its gains to the network's scores, so that of two spellings that sound alike the one that people write wins. By hand, because the
// toolkits for such models are native code, which no package brings for every platform.

import { readFileSync } from 'node:fs'

/** The second of its three weights is that of `network`. */
const MAGIC = 'SAUTILM2'
/** Written until 1.11.0, and still read: the second weight is that of `own`. */
const FIRST_MAGIC = 'SAUTILM1'
/** Of a natural logarithm, in a cost. */
const STEPS = 12
/** Contexts are compared as one number, so they must fit into one. */
const MAX_ORDER = 5

/** Pieces and the beginning are numbers of 16 bits. */
const MAX_PIECES = 65_535

/** The last pieces, the newest last; the blank's number stands for the beginning. */
export type LanguageContext = readonly number[]

/** What is known after contexts of one length. */
interface Level {
  /** In order. */
  readonly contexts: Float64Array
  /** Logarithm of what a context leaves to the shorter one. */
  readonly rests: Float32Array
  /** Where the pieces of each context end. */
  readonly ends: Uint32Array
  readonly pieces: Uint16Array
  /** Steps of a negative logarithm. */
  readonly costs: Uint8Array
}

interface Weights {
  readonly model: number
  /**
   * The network has learned by itself what people write, from other text than this model. That much of its own expectation is taken off, so that
   * the model decides where the sound leaves it open.
   */
  readonly network: number
  /** The two-piece level may stand for that expectation. */
  readonly own: number
  readonly piece: number
}

export class LanguageModel {
  readonly vocabularySize: number
  /** Of what the network expects by itself, to be taken off by the search. */
  readonly networkWeight: number
  readonly #levels: readonly Level[]
  readonly #weights: Weights
  /** Logarithms of probabilities without any context: where those of every context begin. */
  readonly #anywhere: Float32Array

  constructor(vocabularySize: number, levels: readonly Level[], weights: Weights) {
    this.vocabularySize = vocabularySize
    this.#levels = levels
    this.networkWeight = weights.network
    this.#weights = weights
    this.#anywhere = new Float32Array(vocabularySize).fill(-Math.log(vocabularySize))
    refine(this.#anywhere, levels[0]!, 0)
  }

  get start(): LanguageContext {
    return [this.vocabularySize]
  }

  step(context: LanguageContext, piece: number): LanguageContext {
    return [...context, piece].slice(1 - this.#levels.length)
  }

  /** What is added to the network's score of every piece after this context. */
  gains(context: LanguageContext): Float32Array {
    const { model, own, piece } = this.#weights
    const byOnePiece = this.#refined(this.#anywhere, context, 1, 1)
    const gains = this.#refined(byOnePiece, context, 2, this.#levels.length - 1)
    for (let i = 0; i < gains.length; i++) gains[i] = piece + model * gains[i]! - own * byOnePiece[i]!
    return gains
  }

  probabilities(context: LanguageContext): Float32Array {
    return this.#refined(this.#anywhere, context, 1, this.#levels.length - 1).map(Math.exp)
  }

  /** From the scores of a shorter part of the context to those of its last `shortest` to `longest` pieces. */
  #refined(likely: Float32Array, context: LanguageContext, shortest: number, longest: number): Float32Array {
    const refined = likely.slice()
    for (let length = shortest; length <= Math.min(longest, context.length); length++) {
      const level = this.#levels[length]!
      refine(refined, level, this.#find(level, context, length))
    }
    return refined
  }

  /** The index of the last `length` pieces of the context, or -1. */
  #find({ contexts }: Level, context: LanguageContext, length: number): number {
    const wanted = numberOf(context, context.length - length, length, this.vocabularySize)
    let from = 0
    let to = contexts.length
    while (from < to) {
      const middle = (from + to) >> 1
      if (contexts[middle]! < wanted) from = middle + 1
      else to = middle
    }
    return contexts[from] === wanted ? from : -1
  }
}

/** From the probabilities after the shorter context to those after this one. */
function refine(likely: Float32Array, { rests, ends, pieces, costs }: Level, context: number): void {
  if (context === -1) return
  const rest = rests[context]!
  for (let i = 0; i < likely.length; i++) likely[i]! += rest
  for (let i = context === 0 ? 0 : ends[context - 1]!; i < ends[context]!; i++)
    likely[pieces[i]!] = -costs[i]! / STEPS
}

function numberOf(pieces: ArrayLike<number>, start: number, count: number, vocabularySize: number): number {
  let number = 0
  for (let i = start; i < start + count; i++) number = number * (vocabularySize + 1) + pieces[i]!
  return number
}

export function readLanguageModel(path: string): LanguageModel {
  return parseLanguageModel(readFileSync(path))
}

/** Throws an Error that says what is wrong with the file. */
export function parseLanguageModel(file: Uint8Array): LanguageModel {
  const reader = new ArrayReader(file)
  const magic = String.fromCharCode(...reader.take(Uint8Array, 8))
  if (magic !== MAGIC && magic !== FIRST_MAGIC) throw new Error('it is no language model')
  const [order, vocabularySize] = reader.take(Uint32Array, 2) as unknown as [number, number]
  if (order < 2 || order > MAX_ORDER) throw new Error(`its order must be 2 to ${MAX_ORDER}, not ${order}`)
  if (vocabularySize > MAX_PIECES) throw new Error(`its vocabulary has more than ${MAX_PIECES} pieces`)
  const [model, second, piece] = reader.take(Float32Array, 3) as unknown as [number, number, number]
  if (![model, second, piece].every(Number.isFinite)) throw new Error('its weights must be numbers')
  const [network, own] = magic === MAGIC ? [second, 0] : [0, second]
  const levels = Array.from({ length: order }, (_, length) => readLevel(reader, length, vocabularySize))
  if (!reader.isAtEnd) throw new Error('it is longer than its levels')
  return new LanguageModel(vocabularySize, levels, { model, network, own, piece })
}

function readLevel(reader: ArrayReader, length: number, vocabularySize: number): Level {
  const [contextCount, entryCount] = reader.take(Uint32Array, 2) as unknown as [number, number]
  // Only this level's size is not held against the file's by its keys.
  if (length === 0 && contextCount !== 1) throw new Error('its shortest context is not the empty one')
  const keys = reader.take(Uint16Array, contextCount * length)
  const level = {
    contexts: Float64Array.from({ length: contextCount }, (_, i) =>
      numberOf(keys, i * length, length, vocabularySize),
    ),
    rests: reader.take(Float32Array, contextCount),
    ends: reader.take(Uint32Array, contextCount),
    pieces: reader.take(Uint16Array, entryCount),
    costs: reader.take(Uint8Array, entryCount),
  }
  checkLevel(level, vocabularySize)
  return level
}

function checkLevel({ contexts, ends, pieces }: Level, vocabularySize: number): void {
  const isOrdered = contexts.every((context, i) => i === 0 || contexts[i - 1]! < context)
  const isCounted = ends.every((end, i) => end >= (ends[i - 1] ?? 0)) && (ends.at(-1) ?? 0) === pieces.length
  if (!isOrdered || !isCounted) throw new Error('its contexts are not in order')
  if (pieces.some(piece => piece >= vocabularySize))
    throw new Error('it has a piece that the vocabulary has not')
}

type ArrayKind<T> = { new (buffer: ArrayBuffer): T; readonly BYTES_PER_ELEMENT: number }

/** Arrays one after the other, each from a multiple of four bytes on. Copies, because the file may begin anywhere in its buffer. */
class ArrayReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  take<T>(kind: ArrayKind<T>, count: number): T {
    const { buffer, byteOffset, length } = this.#bytes
    const end = this.#at + count * kind.BYTES_PER_ELEMENT
    if (end > length) throw new Error('it is shorter than its levels')
    const array = new kind(buffer.slice(byteOffset + this.#at, byteOffset + end) as ArrayBuffer)
    this.#at = Math.ceil(end / 4) * 4
    return array
  }
}
