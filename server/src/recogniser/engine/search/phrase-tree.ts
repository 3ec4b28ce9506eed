// Step 6, biasing: the phrases that a speaker is expected to say, as a prefix tree over their letters with a way back for every failed
// match. A piece walks it letter by letter, so every way to cut a phrase into pieces is the same walk. Following a phrase earns a
// bonus; leaving it before its last word is whole gives the bonus back, so nothing is earned by what was not said.

import { type Vocabulary, WORD_START } from '../../package/vocabulary.ts'

/** By how much a letter of a phrase is favoured, as a natural logarithm. */
export const LETTER_BONUS = 0.7

/** A place in the tree: how much of which phrase the last letters are. */
export interface PhraseNode {
  readonly next: Map<string, PhraseNode>
  /** The letters so far are a whole phrase, if the word ends here. */
  isEnd: boolean
  /** Bonus that is given back when the phrase is left here. */
  pending: number
  /** The longest shorter beginning of a phrase that the last letters are too. */
  fallback: PhraseNode | undefined
}

export interface PhraseStep {
  readonly node: PhraseNode
  /** Change of the bonus; below zero when a phrase was left. */
  readonly gain: number
}

export class PhraseTree {
  readonly root: PhraseNode = newNode()
  readonly #pieces: readonly string[]
  readonly #bonus: number
  readonly #gains = new Map<PhraseNode, Float32Array>()

  /** `bonus`: natural logarithm by which one letter of a phrase is favoured. */
  constructor(phrases: readonly string[], vocabulary: Vocabulary, bonus: number) {
    this.#pieces = vocabulary.pieces
    this.#bonus = bonus
    const letters = new Set(vocabulary.pieces.flatMap(piece => [...piece]))
    for (const phrase of phrases) this.#add(spell(phrase, letters))
    this.#linkFallbacks()
  }

  get isEmpty(): boolean {
    return this.root.next.size === 0
  }

  /** A piece is said at this place. */
  step(node: PhraseNode, piece: number): PhraseStep {
    if (this.isEmpty) return { node, gain: 0 }
    let at = node
    let gain = 0
    for (const letter of this.#pieces[piece]!) {
      const step = this.#stepLetter(at, letter)
      at = step.node
      gain += step.gain
    }
    return { node: at, gain }
  }

  /** The utterance ends at this place: what a phrase that is not whole gives back. */
  finish(node: PhraseNode): number {
    return node.isEnd ? 0 : -node.pending
  }

  /** Of every piece that may be said at this place; undefined where no phrase is expected. */
  gains(node: PhraseNode): Float32Array | undefined {
    if (this.isEmpty) return undefined
    let gains = this.#gains.get(node)
    if (gains === undefined) {
      gains = Float32Array.from(this.#pieces, (_, piece) => this.step(node, piece).gain)
      this.#gains.set(node, gains)
    }
    return gains
  }

  #stepLetter(from: PhraseNode, letter: string): PhraseStep {
    let gain = 0
    let node: PhraseNode | undefined = from
    while (node !== undefined) {
      const next = node.next.get(letter)
      // The word after a whole phrase begins: what the phrase earned is kept.
      const isWhole = node.isEnd && letter === WORD_START
      if (next !== undefined) return { node: next, gain: gain + next.pending - (isWhole ? 0 : node.pending) }
      gain += (node.fallback?.pending ?? 0) - (isWhole ? 0 : node.pending)
      node = node.fallback
    }
    return { node: this.root, gain }
  }

  #add(letters: readonly string[]): void {
    let node = this.root
    for (const letter of letters) {
      let next = node.next.get(letter)
      if (next === undefined) {
        next = newNode()
        node.next.set(letter, next)
      }
      node = next
    }
    if (node !== this.root) node.isEnd = true
  }

  /** Level by level, so that the fallback of a node is known before those of its children. */
  #linkFallbacks(): void {
    for (let level = [this.root]; level.length > 0; ) {
      const below: PhraseNode[] = []
      for (const node of level) {
        for (const [letter, next] of node.next) {
          next.pending = this.#bonus + (node.isEnd && letter === WORD_START ? 0 : node.pending)
          next.fallback = node === this.root ? this.root : this.#fallbackFor(node, letter)
          below.push(next)
        }
      }
      level = below
    }
  }

  #fallbackFor(parent: PhraseNode, letter: string): PhraseNode {
    for (let node = parent.fallback; node !== undefined; node = node.fallback) {
      const next = node.next.get(letter)
      if (next !== undefined) return next
    }
    return this.root
  }
}

/** No phrase is expected. */
export const NO_PHRASES = new PhraseTree([], { pieces: [], blank: 0 }, 0)

function newNode(): PhraseNode {
  return { next: new Map(), isEnd: false, pending: 0, fallback: undefined }
}

/** A phrase in the letters of the vocabulary, each word behind a word start; nothing when it has a letter that no piece has. */
function spell(phrase: string, letters: ReadonlySet<string>): readonly string[] {
  const words = phrase
    .normalize('NFC')
    .replace(/[\u2018\u2019\u02BC]/g, "'")
    .split(/(?:\s|(?!')\p{Punctuation})+/u)
  const spelled = words
    .filter(word => word !== '')
    .flatMap(word => [
      WORD_START,
      ...[...word].map(letter => (letters.has(letter) ? letter : letter.toLowerCase())),
    ])
  return spelled.every(letter => letters.has(letter)) ? spelled : []
}
