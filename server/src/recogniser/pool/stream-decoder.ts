// Steps 5 and 6 for one stream, inside an engine: what was sent to it waits in order and is done item by item.

import { samplesToMs } from '@sauti/protocol/audio'
import type { Model } from '../engine/model.ts'
import { LETTER_BONUS, PhraseTree } from '../engine/search/phrase-tree.ts'
import { Utterance } from '../engine/utterance.ts'
import type { RecogniserSettings, StreamKind } from '../port.ts'
import { flushMs, MOST_INTENSITY, type StepCosts, stepMs, streamShare } from './capacity.ts'
import type { AudioPiece, FromStream, StreamItem } from './messages.ts'
import { BACKGROUND_DELAY_MS, type Chunk, deadlineMs, patienceMs, Usage } from './schedule.ts'
import type { ServedStream } from './step.ts'

/** A chunk, the flush right after it and the beginning of the next utterance are ordinary. */
const STEPS_AT_ONCE = 4

export class StreamDecoder implements ServedStream {
  readonly id: number
  readonly #model: Model
  readonly #costs: StepCosts
  readonly #inbox: StreamItem[] = []
  readonly #usage = new Usage()
  readonly #delayMs: number
  readonly #interimWords: boolean
  #settings: RecogniserSettings
  #phrases: PhraseTree
  #utterance: Utterance | undefined
  #utteranceStart = 0
  #dropped = { chunks: 0, samples: 0 }

  constructor(
    id: number,
    model: Model,
    costs: StepCosts,
    settings: RecogniserSettings,
    kind: StreamKind = 'live',
  ) {
    this.id = id
    this.#delayMs = kind === 'background' ? BACKGROUND_DELAY_MS : 0
    this.#model = model
    this.#costs = costs
    this.#settings = settings
    this.#interimWords = settings.interimWords ?? false
    this.#phrases = phraseTree(settings, model)
  }

  /** When its next item must be done; Infinity when it has none. */
  get deadlineMs(): number {
    return deadlineMs(this.#inbox, this.#hasText, this.#usage.paidUntilMs) + this.#delayMs
  }

  get promise(): { readonly dueMs: number; readonly patienceMs: number } {
    const [{ type, dueMs }] = this.#inbox as [StreamItem]
    return {
      dueMs: Math.max(dueMs, this.#usage.paidUntilMs) + this.#delayMs,
      patienceMs: patienceMs(type, this.#hasText),
    }
  }

  get expectedMs(): number | undefined {
    const [item] = this.#inbox as [StreamItem]
    if (item.type === 'audio') return stepMs(this.#costs, this.#settings)
    const isFlush = item.type === 'flush' && (this.#utterance !== undefined || item.samples.length > 0)
    return isFlush ? flushMs(this.#costs, this.#settings) : undefined
  }

  /** It may use what admission expects of it at most, or an equal part of the engine where that is more. */
  charge(nowMs: number, costMs: number, equalPart: number): void {
    const part = Math.max(MOST_INTENSITY * streamShare(this.#costs, this.#settings), equalPart)
    this.#usage.charge(nowMs, costMs, {
      part,
      advanceMs: STEPS_AT_ONCE * stepMs(this.#costs, this.#settings),
    })
  }

  put(item: StreamItem): void {
    if (item.type === 'reset') this.#dropAudio()
    this.#inbox.push(item)
  }

  get nextChunk(): Chunk | undefined {
    const [item] = this.#inbox
    if (item?.type !== 'audio') return undefined
    const { encoder } = this.#model
    return { network: encoder, samples: item.samples.length, mostTogether: encoder.mostTogether }
  }

  /** Does the oldest item of each stream and returns the answers. Of several all are chunks that can be heard together. */
  static doNext(decoders: readonly StreamDecoder[]): FromStream[] {
    const [first] = decoders as [StreamDecoder]
    return first.nextChunk === undefined ? [first.#doNext()] : StreamDecoder.#hearTogether(decoders)
  }

  static #hearTogether(decoders: readonly StreamDecoder[]): FromStream[] {
    const pieces = decoders.map(decoder => decoder.#inbox.shift() as AudioPiece)
    const appended = Utterance.hearTogether(
      pieces.map((piece, i) => ({
        utterance: decoders[i]!.#utteranceAt(piece.start),
        samples: piece.samples,
      })),
    )
    return decoders.map((decoder, i) => decoder.#tellHeard(pieces[i]!, appended[i]!))
  }

  #doNext(): FromStream {
    const item = this.#inbox.shift() as Exclude<StreamItem, { type: 'audio' }>
    switch (item.type) {
      case 'flush':
        return this.#finish(item)
      case 'reset':
        return this.#reset(item.requests)
      case 'configure':
        this.#configure(item.settings)
        return { type: 'configured', requests: item.requests }
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

  #tellHeard(piece: AudioPiece, append: string): FromStream {
    const utterance = this.#utteranceAt(piece.start)
    const audioMs = endMs(piece)
    const hasWords = this.#interimWords && append !== ''
    const words = hasWords ? utterance.takeNewWords(samplesToMs(this.#utteranceStart), audioMs) : []
    return { type: 'heard', samples: piece.samples.length, append, words, audioMs }
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

  #configure(settings: RecogniserSettings): void {
    const unchanged = samePhrases(settings.phrases, this.#settings.phrases)
    this.#settings = settings
    if (!unchanged) this.#phrases = phraseTree(settings, this.#model)
  }

  #reset(requests: number): FromStream {
    this.dispose()
    const dropped = this.#dropped
    this.#dropped = { chunks: 0, samples: 0 }
    return { type: 'reset', requests, ...dropped }
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

function samePhrases(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((phrase, i) => phrase === b[i])
}

function endMs({ start, samples }: AudioPiece): number {
  return samplesToMs(start + samples.length)
}
