// Step 6: pieces become text and words. The text only ever grows at its end, so a client may append what is new; every word knows its
// place on the 80 ms grid of encoder frames and how sure the model was.

import { ENCODER_FRAME_MS } from '@sauti/protocol/audio'
import type { Word } from '@sauti/protocol/stream'
import { type Vocabulary, WORD_START } from '../../package/vocabulary.ts'
import type { Emission } from './search.ts'

const BYTE_PIECE = /^<0x([0-9A-Fa-f]{2})>$/
/** `<unk>`, language tags and the like: symbols of the network that nobody said. */
const SPECIAL_PIECE = /^<.*>$/
const LONGEST_CHARACTER_BYTES = 4
const BEGINS_WITH_MARK = /^\p{Mark}/u
const LAST_CHARACTER = /\P{Mark}\p{Mark}*$/u

interface OpenWord {
  text: string
  firstFrame: number
  lastFrame: number
  logProbability: number
  pieces: number
}

export class Transcript {
  readonly #vocabulary: Vocabulary
  readonly #words: OpenWord[] = []
  #told = ''
  /** What follows `#told` and may still change: the next piece may be a mark over its last letter. */
  #untold = ''
  /** The last word that takeNewWords() gave. */
  #lastTold = 0
  #bytes: number[] = []
  readonly #mayCombine: boolean

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#mayCombine = vocabulary.pieces.some(piece => BEGINS_WITH_MARK.test(piece))
  }

  add(emission: Emission): void {
    const piece = this.#vocabulary.pieces[emission.piece]!
    const byte = BYTE_PIECE.exec(piece)
    if (byte !== null) this.#addByte(Number.parseInt(byte[1]!, 16), emission)
    else if (!SPECIAL_PIECE.test(piece)) this.#addText(piece, emission)
  }

  /** What the text gained since the last call; '' when nothing. `last`: nothing will follow, hold nothing back. */
  takeNew(last = false): string {
    const text = this.#untold.normalize('NFC')
    const length = last || !this.#mayCombine ? text.length : Math.max(0, text.search(LAST_CHARACTER))
    const gained = text.slice(0, length)
    this.#untold = text.slice(length)
    this.#told += gained
    return gained
  }

  /** What was reported so far. */
  get text(): string {
    return this.#told
  }

  /** Times count from `startMs`, where the utterance began, and never pass `endMs`, where its audio ended. */
  words(startMs: number, endMs: number): Word[] {
    return this.#words.filter(word => word.text !== '').map(word => describeWord(word, startMs, endMs))
  }

  /** The words of the text that takeNew() gave, from the last one of the call before, which may have grown. Times are as in words(). */
  takeNewWords(startMs: number, endMs: number): Word[] {
    const told: Word[] = []
    const last = this.#words.findLastIndex(word => word.text !== '')
    for (let index = this.#lastTold; index <= last; index++) {
      const word = describeWord(this.#words[index]!, startMs, endMs)
      const heldBack = index === last ? this.#untold.length : 0
      const text = word.text.slice(0, Math.max(0, word.text.length - heldBack))
      if (text === '') continue
      told.push({ ...word, text })
      this.#lastTold = index
    }
    return told
  }

  #addText(piece: string, emission: Emission): void {
    this.#bytes = []
    piece.split(WORD_START).forEach((text, i) => {
      if (i > 0) this.#words.push(newWord(emission))
      if (text !== '') this.#extendWord(text, emission)
    })
  }

  #extendWord(text: string, emission: Emission): void {
    if (this.#words.length === 0) this.#words.push(newWord(emission))
    const word = this.#words.at(-1)!
    if (word.pieces === 0) word.firstFrame = emission.frame
    const beginsLaterWord = word.text === '' && (this.#told !== '' || this.#untold !== '')
    this.#untold += beginsLaterWord ? ` ${text}` : text
    word.text += text
    word.lastFrame = emission.frame
    word.logProbability += emission.logProbability
    word.pieces++
  }

  /** A character that the vocabulary lacks comes as its UTF-8 bytes, one piece each. */
  #addByte(byte: number, emission: Emission): void {
    this.#bytes.push(byte)
    const character = Buffer.from(this.#bytes).toString('utf8')
    const isWhole = !character.includes('\uFFFD')
    if (isWhole) this.#extendWord(character, emission)
    if (isWhole || this.#bytes.length === LONGEST_CHARACTER_BYTES) this.#bytes = []
  }
}

function describeWord(word: OpenWord, startMs: number, endMs: number): Word {
  return {
    text: word.text.normalize('NFC'),
    start_ms: Math.min(startMs + word.firstFrame * ENCODER_FRAME_MS, endMs),
    end_ms: Math.min(startMs + (word.lastFrame + 1) * ENCODER_FRAME_MS, endMs),
    confidence: Math.round(Math.exp(word.logProbability / word.pieces) * 1000) / 1000,
  }
}

function newWord({ frame }: Emission): OpenWord {
  return { text: '', firstFrame: frame, lastFrame: frame, logProbability: 0, pieces: 0 }
}
