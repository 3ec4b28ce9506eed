// A language model as a file, from rules that a test can read: how likely a piece is after certain last pieces.

import { type LanguageModel, parseLanguageModel } from '#server/recogniser/engine/search/language-model.js'

/** Contexts of one length: the pieces behind them with their probabilities, and what is left to the shorter context. */
type WrittenLevel = readonly {
  readonly context: readonly number[]
  readonly next: Readonly<Record<number, number>>
  readonly rest: number
}[]

export interface WrittenLanguage {
  readonly vocabularySize: number
  /** `first`: as files were written until 1.11.0, where the second weight has another meaning. */
  readonly format?: 'first'
  readonly weights: readonly [model: number, network: number, piece: number]
  readonly levels: readonly WrittenLevel[]
}

export function writeLanguageModel({ format, vocabularySize, weights, levels }: WrittenLanguage): Buffer {
  const magic = format === 'first' ? 'SAUTILM1' : 'SAUTILM2'
  const parts: Buffer[] = [Buffer.from(magic), bytes(Uint32Array.of(levels.length, vocabularySize))]
  parts.push(bytes(Float32Array.from(weights)))
  for (const level of levels) {
    const entries = level.flatMap(({ next }) => Object.entries(next).map(([piece, p]) => [Number(piece), p]))
    let end = 0
    const ends = level.map(({ next }) => {
      end += Object.keys(next).length
      return end
    })
    parts.push(bytes(Uint32Array.of(level.length, entries.length)))
    parts.push(bytes(Uint16Array.from(level.flatMap(({ context }) => context))))
    parts.push(bytes(Float32Array.from(level.map(({ rest }) => Math.log(rest)))))
    parts.push(bytes(Uint32Array.from(ends)))
    parts.push(bytes(Uint16Array.from(entries.map(([piece]) => piece!))))
    parts.push(bytes(Uint8Array.from(entries.map(([, p]) => Math.round(-Math.log(p!) * 12)))))
  }
  return Buffer.concat(parts)
}

export function openWritten(language: WrittenLanguage): LanguageModel {
  return parseLanguageModel(writeLanguageModel(language))
}

function bytes(array: Uint8Array | Uint16Array | Uint32Array | Float32Array): Buffer {
  const padding = Buffer.alloc((4 - (array.byteLength % 4)) % 4)
  return Buffer.concat([Buffer.from(array.buffer), padding])
}
