// Steps 5 and 6 for one utterance: samples to features, features to encoded frames, frames to pieces, pieces to text. It begins with
// empty caches and ends with `finish`; the next one starts over.

import { ENCODER_FRAME_SAMPLES } from '@sauti/protocol/audio'
import type { Word } from '@sauti/protocol/stream'
import type { Encoding } from './encoder.ts'
import { HOP_SAMPLES, newFeatureState } from './features/features.ts'
import { type Model, TAIL_FRAMES } from './model.ts'
import { BeamSearch } from './search/beam-search.ts'
import { GreedySearch } from './search/greedy-search.ts'
import { NO_PHRASES, type PhraseTree } from './search/phrase-tree.ts'
import type { Emission, Search } from './search/search.ts'
import { Transcript } from './search/transcript.ts'

const MAX_TAIL_FRAMES = 24
/** Somebody who spoke within this many frames of the end is still speaking. */
const STILL_SPEAKING_FRAMES = 4
const NOTHING = new Int16Array(0)

/** What an utterance is to hear. */
interface Heard {
  readonly utterance: Utterance
  readonly samples: Int16Array
}

export class Utterance {
  readonly #model: Model
  readonly #features = newFeatureState()
  readonly #history: Float32Array
  readonly #encoding: Encoding
  readonly #search: Search
  readonly #transcript: Transcript
  #frames = 0
  #lastSpoken = Number.NEGATIVE_INFINITY

  constructor(model: Model, phrases: PhraseTree = NO_PHRASES) {
    this.#model = model
    this.#history = new Float32Array(model.encoder.melBins * model.encoder.historyFrames)
    this.#encoding = model.encoder.begin(model.prompt)
    this.#search = chooseSearch(model, phrases)
    this.#transcript = new Transcript(model.vocabulary)
  }

  get text(): string {
    return this.#transcript.text
  }

  /** Several utterances of one network hear a chunk of the same length each, in one run. Gives what the texts gained. */
  static hearTogether(parts: readonly Heard[]): string[] {
    const [first] = parts as [Heard]
    Utterance.#stepTogether(parts, Math.ceil(first.samples.length / ENCODER_FRAME_SAMPLES))
    return parts.map(({ utterance }) => utterance.#transcript.takeNew())
  }

  /** Hears one chunk, or less at the end, and gives what the text gained. */
  hear(samples: Int16Array): string {
    return Utterance.hearTogether([{ utterance: this, samples }])[0]!
  }

  /** Hears the last samples, shorter than a chunk and perhaps none, and the silence after them. Gives what the text gained. */
  finish(samples: Int16Array): string {
    const audioFrames = Math.ceil(samples.length / ENCODER_FRAME_SAMPLES)
    const end = this.#frames + audioFrames
    this.#hearOut(samples, audioFrames + TAIL_FRAMES)
    while (this.#isStillSpeaking() && this.#frames < end + MAX_TAIL_FRAMES)
      this.#hearOut(NOTHING, TAIL_FRAMES)
    this.#tell(this.#search.finish())
    return this.#transcript.takeNew(true)
  }

  /** Hears samples and the silence after them in the longest steps that the model can take. */
  #hearOut(samples: Int16Array, frames: number): void {
    const { maxFrames, anyFrames } = this.#model
    let rest = samples
    for (let left = frames; left > 0; ) {
      const step = anyFrames ? Math.min(left, maxFrames) : maxFrames
      Utterance.#stepTogether([{ utterance: this, samples: rest }], step)
      rest = rest.subarray(Math.min(rest.length, step * ENCODER_FRAME_SAMPLES))
      left -= step
    }
  }

  #isStillSpeaking(): boolean {
    return this.#lastSpoken >= this.#frames - STILL_SPEAKING_FRAMES
  }

  words(startMs: number, endMs: number): Word[] {
    return this.#transcript.words(startMs, endMs)
  }

  takeNewWords(startMs: number, endMs: number): Word[] {
    return this.#transcript.takeNewWords(startMs, endMs)
  }

  /** Gives the caches back. Nothing may be called afterwards. */
  release(): void {
    this.#model.encoder.release(this.#encoding)
  }

  /** One encoder step over `frames` encoder frames; where samples are missing there is silence. */
  static #stepTogether(parts: readonly Heard[], frames: number): void {
    const { encoder } = parts[0]!.utterance.#model
    const together = parts.length
    for (const [row, { utterance, samples }] of parts.entries())
      utterance.#fill(encoder.features(frames, together, row), samples, frames)
    encoder.run(
      parts.map(({ utterance }) => utterance.#encoding),
      frames,
    )
    for (const [row, { utterance }] of parts.entries())
      utterance.#decode(encoder.encoded(frames, together, row), frames)
  }

  #fill(window: Float32Array, samples: Int16Array, frames: number): void {
    const { encoder, logMel } = this.#model
    const columns = encoder.columns(frames)
    this.#copyHistory(window, columns)
    const melFrames = (frames * ENCODER_FRAME_SAMPLES) / HOP_SAMPLES
    logMel.write(this.#features, samples, melFrames, window, columns, encoder.historyFrames)
    this.#keepHistory(window, columns)
  }

  #decode(encoded: Float32Array, frames: number): void {
    this.#frames += frames
    const { transducer, frameScorer } = this.#model
    const alone = frameScorer && (() => frameScorer.score(encoded, frames))
    this.#tell(this.#search.advance(transducer.prepare(encoded, frames), frames, alone))
  }

  #tell(emissions: readonly Emission[]): void {
    for (const emission of emissions) this.#transcript.add(emission)
    this.#lastSpoken = emissions.at(-1)?.frame ?? this.#lastSpoken
  }

  #copyHistory(window: Float32Array, columns: number): void {
    const { historyFrames, melBins } = this.#model.encoder
    for (let bin = 0; bin < melBins; bin++) {
      for (let i = 0; i < historyFrames; i++)
        window[bin * columns + i] = this.#history[bin * historyFrames + i]!
    }
  }

  #keepHistory(window: Float32Array, columns: number): void {
    const { historyFrames, melBins } = this.#model.encoder
    for (let bin = 0; bin < melBins; bin++) {
      const end = (bin + 1) * columns
      for (let i = 0; i < historyFrames; i++)
        this.#history[bin * historyFrames + i] = window[end - historyFrames + i]!
    }
  }
}

/** Where nothing knows better than the network, its best symbol at every frame is as good and costs less. */
function chooseSearch(model: Model, phrases: PhraseTree): Search {
  const { transducer, languageModel, frameScorer, silence } = model
  if (phrases.isEmpty && languageModel === undefined) return new GreedySearch(transducer)
  const scoresFrames = frameScorer !== undefined
  return new BeamSearch(transducer, { phrases, languageModel, silence, scoresFrames })
}
