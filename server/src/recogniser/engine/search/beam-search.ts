// Step 6 with phrases or a language model: a beam search that carries a few hypotheses side by side, so that alternatives that sound alike can be
// followed for a while and dropped again. Only what is decided is reported, so the text still only grows.

import type { Transducer } from '../transducer/transducer.ts'
import { FrameScores, SaidInFrames } from './frame-scores.ts'
import {
  addWay,
  best,
  type Candidate,
  type Hypothesis,
  prune,
  type Said,
  sharedBeginning,
  type Way,
  type Width,
} from './hypotheses.ts'
import type { LanguageModel } from './language-model.ts'
import type { PhraseTree } from './phrase-tree.ts'
import type { Emission, Search } from './search.ts'

/** Pieces that may be said at one frame. */
const MAX_SYMBOLS_A_FRAME = 5
/** Frames at which a hypothesis alone is scored at once after a piece; twice as many each time that all are silent. */
const FIRST_SPAN = 3

interface Patience extends Width {
  /** A decision that is still open after this many frames is made. */
  readonly openFrames: number
}
/** A language model decides a word nearly as well with the next third of a second as with the next three. */
const FOR_LANGUAGE: Patience = { margin: 3, openFrames: 4, beam: 5 }
/** What the frames say by themselves finds the right one among more. */
const FOR_FRAMES: Patience = { margin: 5, openFrames: 8, beam: 8 }
/** A name is unlikely until its end has been heard. */
const FOR_PHRASES: Patience = { margin: 7, openFrames: 42, beam: 5 }

/** What the transducer and the frames by themselves count. */
const TRANSDUCER_SHARE = 0.7
const FRAMES_SHARE = 0.3

/**
 * The network hears the words of an unknown voice less surely than silence when they stand alone. Where an utterance would end without a word, the
 * likeliest words are written, unless they are this much less likely.
 */
const DOUBT = 3

/** Knows better than the network alone which of two likely pieces was meant. */
export interface Guides {
  readonly phrases: PhraseTree
  readonly languageModel: LanguageModel | undefined
  /** A prepared frame in which nothing is heard: what the network makes of it is what it expects by itself. */
  readonly silence: Float32Array
  /** Whether the model also tells what each frame says by itself. */
  readonly scoresFrames?: boolean
}

/** One hypothesis scored at `frames` frames from `from` on, in one run. */
interface Ahead {
  readonly said: Said
  readonly from: number
  readonly frames: number
  readonly scores: Float32Array
}

export class BeamSearch implements Search {
  readonly #transducer: Transducer
  readonly #phrases: PhraseTree
  readonly #languageModel: LanguageModel | undefined
  readonly #silence: Float32Array
  readonly #patience: Patience
  readonly #frameScores: FrameScores | undefined
  readonly #transducerShare: number
  #beam: readonly Hypothesis[]
  #frame = 0
  #ahead: Ahead | undefined
  #span = FIRST_SPAN
  #hasSpoken = false

  constructor(transducer: Transducer, { phrases, languageModel, silence, scoresFrames = false }: Guides) {
    this.#transducer = transducer
    this.#phrases = phrases
    this.#languageModel = languageModel
    this.#silence = silence
    this.#patience = phrases.isEmpty ? (scoresFrames ? FOR_FRAMES : FOR_LANGUAGE) : FOR_PHRASES
    this.#frameScores = scoresFrames ? new FrameScores(transducer.blank) : undefined
    this.#transducerShare = scoresFrames ? TRANSDUCER_SHARE : 1
    const nothing: Said = {
      children: new Map(),
      phrase: phrases.root,
      context: languageModel?.start ?? [],
      prediction: transducer.start,
      inFrames: this.#frameScores && SaidInFrames.nothing(this.#frameScores, transducer.blank),
      gains: undefined,
    }
    this.#guide([nothing])
    this.#beam = [{ said: nothing, emissions: [], score: 0, total: 0 }]
  }

  advance(prepared: Float32Array, frames: number, alone?: () => Float32Array): readonly Emission[] {
    if (alone !== undefined) this.#frameScores?.add(alone(), frames)
    // Frame by frame, so that what is decided does not depend on how the frames are cut into chunks.
    this.#ahead = undefined
    for (let frame = 0; frame < frames; frame++, this.#frame++) {
      this.#hearFrame(prepared, frame, frames)
      this.#decideOld()
    }
    return this.#takeAgreed()
  }

  finish(): readonly Emission[] {
    const ended = this.#beam.map(hypothesis => ({
      ...hypothesis,
      total: hypothesis.total + this.#phrases.finish(hypothesis.said.phrase),
    }))
    const [likeliest] = best(ended, 1) as [Hypothesis]
    const [words] = this.#hasSpoken
      ? []
      : best(
          ended.filter(({ emissions }) => emissions.length > 0),
          1,
        )
    this.#beam = [words && words.total > likeliest.total - DOUBT ? words : likeliest]
    return this.#takeAgreed()
  }

  /** Every hypothesis may say pieces at this frame before it goes on to the next. */
  #hearFrame(prepared: Float32Array, frame: number, frames: number): void {
    const done = new Map<Said, Way>()
    let open: readonly Way[] = this.#beam
    for (let symbols = 0; open.length > 0; symbols++) {
      const isAlone = symbols === 0 && open.length === 1
      const scores = isAlone
        ? this.#lookAhead(prepared, frame, frames, open[0]!.said)
        : this.#join(prepared, frame, open)
      const candidates: Candidate[] = []
      for (let row = 0; row < open.length; row++) {
        const { said, emissions, score } = open[row]!
        const silence = scores[row * this.#symbols + this.#transducer.blank]!
        addWay(done, { said, emissions, score: score + this.#transducerShare * silence })
        if (symbols < MAX_SYMBOLS_A_FRAME) this.#addCandidates(candidates, scores, row, open[row]!)
      }
      open = candidates.length === 0 ? [] : this.#extend(prune(candidates, this.#rate(done), this.#patience))
    }
    const survivors = best(this.#rate(done), this.#patience.beam)
    this.#beam = survivors.filter(({ total }) => total > survivors[0]!.total - this.#patience.margin)
  }

  #rate(ways: ReadonlyMap<Said, Way>): Hypothesis[] {
    return [...ways.values()].map(way => ({ ...way, total: way.score + this.#byFrames(way.said) }))
  }

  /** What the frames up to this one add to the score of what was said. */
  #byFrames({ inFrames }: Said): number {
    return inFrames === undefined ? 0 : FRAMES_SHARE * inFrames.likelihood(this.#frame)
  }

  get #symbols(): number {
    return this.#transducer.blank + 1
  }

  #join(prepared: Float32Array, frame: number, open: readonly Way[]): Float32Array {
    // The scores ahead lie in the memory that this run writes.
    this.#ahead = undefined
    this.#span = FIRST_SPAN
    return this.#transducer.joinEach(
      prepared,
      frame,
      open.map(({ said }) => said.prediction!),
    )
  }

  /** A hypothesis without rivals is scored at several frames in one run: most are silent and leave it as it is. */
  #lookAhead(prepared: Float32Array, frame: number, frames: number, said: Said): Float32Array {
    if (this.#ahead?.said !== said || frame >= this.#ahead.from + this.#ahead.frames) {
      const count = Math.min(this.#span, this.#transducer.maxRows, frames - frame)
      const scores = this.#transducer.join(prepared, frame, count, said.prediction!)
      this.#ahead = { said, from: frame, frames: count, scores }
      this.#span *= 2
    }
    const { from, scores } = this.#ahead
    return scores.subarray((frame - from) * this.#symbols, (frame - from + 1) * this.#symbols)
  }

  /** The pieces that have a chance beside silence and beside each other. */
  #addCandidates(to: Candidate[], scores: Float32Array, row: number, from: Way): void {
    const { blank } = this.#transducer
    const start = row * this.#symbols
    const gains = from.said.gains!
    const share = this.#transducerShare
    const alone = this.#frameScores?.row(this.#frame)
    const rate = (symbol: number) =>
      share * scores[start + symbol]! + (alone === undefined ? 0 : FRAMES_SHARE * alone[symbol]!)
    let likeliest = rate(blank)
    for (let piece = 0; piece < blank; piece++) {
      const rating = rate(piece) + gains[piece]!
      if (rating > likeliest) likeliest = rating
    }
    const floor = likeliest - this.#patience.margin
    for (let piece = 0; piece < blank; piece++) {
      if (rate(piece) + gains[piece]! <= floor) continue
      const logProbability = scores[start + piece]!
      const score = from.score + share * logProbability + gains[piece]!
      const said = this.#say(from.said, piece)
      const emission = { piece, frame: this.#frame, logProbability }
      to.push({ from, said, emission, score, total: score + this.#byFrames(said) })
    }
  }

  #extend(candidates: readonly Candidate[]): Way[] {
    const extended = new Map<Said, Way>()
    const fresh = new Map<Said, Candidate>()
    for (const candidate of candidates) {
      const { from, said, emission, score } = candidate
      if (said.prediction === undefined) fresh.set(said, candidate)
      addWay(extended, { said, emissions: [...from.emissions, emission], score })
    }
    this.#predict(fresh)
    return [...extended.values()]
  }

  /** All new sequences in one run of the decoder: several cost little more than one. */
  #predict(fresh: ReadonlyMap<Said, Candidate>): void {
    const candidates = [...fresh.values()]
    const predictions = this.#transducer.predictEach(
      candidates.map(({ emission }) => emission.piece),
      candidates.map(({ from }) => from.said.prediction!),
    )
    for (const [i, said] of [...fresh.keys()].entries()) said.prediction = predictions[i]
    this.#guide([...fresh.keys()])
  }

  /** What the guides say about every piece that may come next. */
  #guide(fresh: readonly Said[]): void {
    const networkWeight = this.#languageModel?.networkWeight ?? 0
    const expected = networkWeight === 0 ? undefined : this.#expect(fresh)
    for (const [row, said] of fresh.entries()) {
      said.gains = addTo(
        this.#languageModel?.gains(said.context) ?? new Float32Array(this.#transducer.blank),
        this.#phrases.gains(said.phrase),
      )
      if (expected !== undefined) takeOff(said.gains, expected.subarray(row * this.#symbols), networkWeight)
    }
  }

  /** What the network would say next if it heard nothing. */
  #expect(fresh: readonly Said[]): Float32Array {
    this.#ahead = undefined
    return this.#transducer.joinEach(
      this.#silence,
      0,
      fresh.map(({ prediction }) => prediction!),
    )
  }

  #say(parent: Said, piece: number): Said {
    let said = parent.children.get(piece)
    if (said === undefined) {
      const phrase = this.#phrases.step(parent.phrase, piece).node
      const context = this.#languageModel?.step(parent.context, piece) ?? []
      said = {
        children: new Map(),
        phrase,
        context,
        prediction: undefined,
        inFrames: undefined,
        gains: undefined,
      }
      parent.children.set(piece, said)
    }
    const before = parent.inFrames
    if (before !== undefined && !said.inFrames?.canGoOn(this.#frame, before))
      said.inFrames = before.say(piece, this.#frame)
    return said
  }

  /** Hypotheses that differ from the best one in what was said long ago are dropped. */
  #decideOld(): void {
    const oldest = this.#frame - this.#patience.openFrames
    const [first] = this.#beam as [Hypothesis]
    const decided = first.emissions.filter(({ frame }) => frame < oldest).length
    this.#beam = this.#beam.filter(hypothesis => sharedBeginning(first, hypothesis) >= decided)
  }

  /** Takes off what all hypotheses begin with. */
  #takeAgreed(): readonly Emission[] {
    const [first, ...others] = this.#beam as [Hypothesis, ...Hypothesis[]]
    const agreed = others.reduce(
      (least, other) => Math.min(least, sharedBeginning(first, other)),
      first.emissions.length,
    )
    this.#beam = this.#beam.map(hypothesis => ({
      ...hypothesis,
      emissions: hypothesis.emissions.slice(agreed),
    }))
    this.#hasSpoken ||= agreed > 0
    return first.emissions.slice(0, agreed)
  }
}

function addTo(gains: Float32Array, more: Float32Array | undefined): Float32Array {
  if (more !== undefined) for (let i = 0; i < gains.length; i++) gains[i]! += more[i]!
  return gains
}

/** So much of every piece's own probability, silence left aside. */
function takeOff(gains: Float32Array, expected: Float32Array, weight: number): void {
  let total = 0
  for (let i = 0; i < gains.length; i++) total += Math.exp(expected[i]!)
  const anyPiece = Math.log(total)
  for (let i = 0; i < gains.length; i++) gains[i]! -= weight * (expected[i]! - anyPiece)
}
