// Steps 5 and 6 for one stream, inside an engine: what was sent to it waits in order and is done item by item.

import { samplesToMs } from '@sauti/protocol/audio'
import type { AudioPiece, FromStream, StreamItem } from './messages.ts'
import type { Model } from './model.ts'
import { LETTER_BONUS, PhraseTree } from './phrase-tree.ts'
import type { RecogniserSettings } from './port.ts'
import { deadlineMs } from './schedule.ts'
import { Utterance } from './utterance.ts'

export class StreamDecoder {
  readonly id: number
  readonly #model: Model
  readonly #inbox: StreamItem[] = []
  #phrases: PhraseTree
  #utterance: Utterance | undefined
  #utteranceStart = 0
  #dropped = { chunks: 0, samples: 0 }

  constructor(id: number, model: Model, settings: RecogniserSettings) {
    this.id = id
    this.#model = model
    this.#phrases = phraseTree(settings, model)
  }

  /** When its next item must be done; Infinity when it has none. */
  get deadlineMs(): number {
    return deadlineMs(this.#inbox, this.#hasText)
  }

  put(item: StreamItem): void {
    if (item.type === 'reset') this.#dropAudio()
    this.#inbox.push(item)
  }

  /** Does the oldest item and gives the answer to it, if it has one. */
  doNext(): FromStream | undefined {
    const item = this.#inbox.shift()!
    switch (item.type) {
      case 'audio':
        return this.#hear(item)
      case 'flush':
        return this.#finish(item)
      case 'reset':
        return this.#reset()
      case 'configure':
        this.#phrases = phraseTree(item.settings, this.#model)
        return undefined
    }
  }

  /** Gives its caches back. */
  dispose(): void {
    this.#utterance?.release()
    this.#utterance = undefined
  }

  get #hasText(): boolean {
    return this.#utterance !== undefined && this.#utterance.text !== ''
  }

  #hear(piece: AudioPiece): FromStream {
    const began = performance.now()
    const append = this.#utteranceAt(piece.start).hear(piece.samples)
    return {
      type: 'heard',
      samples: piece.samples.length,
      append,
      audioMs: endMs(piece),
      stepMs: performance.now() - began,
    }
  }

  #finish(piece: AudioPiece): FromStream {
    const answer = { type: 'final', samples: piece.samples.length, audioMs: endMs(piece) } as const
    if (this.#utterance === undefined && piece.samples.length === 0) return { ...answer, text: '', words: [] }
    const utterance = this.#utteranceAt(piece.start)
    utterance.finish(piece.samples)
    const words = utterance.words(samplesToMs(this.#utteranceStart), answer.audioMs)
    this.dispose()
    return { ...answer, text: utterance.text, words }
  }

  #reset(): FromStream {
    this.dispose()
    const dropped = this.#dropped
    this.#dropped = { chunks: 0, samples: 0 }
    return { type: 'reset', ...dropped }
  }

  /** The utterance under way, or a new one that begins with this sample. */
  #utteranceAt(start: number): Utterance {
    if (this.#utterance === undefined) {
      this.#utterance = new Utterance(this.#model, this.#phrases)
      this.#utteranceStart = start
    }
    return this.#utterance
  }

  /** Takes the audio of the unfinished utterance out of the inbox; what was flushed before it stays. */
  #dropAudio(): void {
    for (let last = this.#inbox.at(-1); last?.type === 'audio'; last = this.#inbox.at(-1)) {
      this.#dropped.chunks++
      this.#dropped.samples += last.samples.length
      this.#inbox.pop()
    }
  }
}

function phraseTree({ phrases }: RecogniserSettings, { vocabulary }: Model): PhraseTree {
  return new PhraseTree(phrases, vocabulary, LETTER_BONUS)
}

function endMs({ start, samples }: AudioPiece): number {
  return samplesToMs(start + samples.length)
}
