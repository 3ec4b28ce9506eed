// Step 6 with phrases: a beam search that carries a few hypotheses side by side, so that a phrase may be followed for a while and given
// up again without a trace. Only what all hypotheses agree on is told, so the text still only grows.

import type { PhraseNode, PhraseTree } from './phrase-tree.ts'
import { type Emission, logSumExp, type Search } from './search.ts'
import type { Prediction, Transducer } from './transducer.ts'

/** Hypotheses that are carried from frame to frame. */
const BEAM = 5
/** Pieces that may be said at one frame. */
const MAX_SYMBOLS_A_FRAME = 5
/** What is this much less likely than the best is dropped. */
const MARGIN = 7
/** A decision that is still open after so many frames is made. */
const MAX_OPEN_FRAMES = 42

/** A sequence of pieces: equal sequences are the same object, however they came about. */
interface Said {
  readonly children: Map<number, Said>
  readonly phrase: PhraseNode
  prediction: Prediction | undefined
}

interface Hypothesis {
  readonly said: Said
  /** What `said` adds to what was told, the newest last. */
  readonly emissions: readonly Emission[]
  /** Log probability plus bonus. */
  readonly score: number
}

/** A hypothesis that would say one more piece. */
interface Candidate {
  readonly from: Hypothesis
  readonly emission: Emission
  readonly score: number
}

export class BiasedSearch implements Search {
  readonly #transducer: Transducer
  readonly #phrases: PhraseTree
  #beam: readonly Hypothesis[]
  #frame = 0

  constructor(transducer: Transducer, phrases: PhraseTree) {
    this.#transducer = transducer
    this.#phrases = phrases
    const nothing: Said = {
      children: new Map(),
      phrase: phrases.root,
      prediction: transducer.start,
    }
    this.#beam = [{ said: nothing, emissions: [], score: 0 }]
  }

  advance(encoded: Float32Array, frames: number): readonly Emission[] {
    for (let frame = 0; frame < frames; frame++, this.#frame++) this.#hearFrame(encoded, frame)
    this.#decideOld()
    return this.#takeAgreed()
  }

  finish(): readonly Emission[] {
    const scored = this.#beam.map(hypothesis => ({
      hypothesis,
      score: hypothesis.score + this.#phrases.finish(hypothesis.said.phrase),
    }))
    const best = scored.reduce((a, b) => (b.score > a.score ? b : a)).hypothesis
    this.#beam = [best]
    return this.#takeAgreed()
  }

  /** Every hypothesis may say pieces at this frame before it goes on to the next. */
  #hearFrame(encoded: Float32Array, frame: number): void {
    const done = new Map<Said, Hypothesis>()
    let open = this.#beam
    for (let symbols = 0; open.length > 0; symbols++) {
      const scores = this.#join(encoded, frame, open)
      const candidates: Candidate[] = []
      for (const [row, hypothesis] of open.entries()) {
        const logZ = logSumExp(scores, row * this.#symbols, this.#symbols)
        const silence = scores[row * this.#symbols + this.#transducer.blank]! - logZ
        keepBest(done, { ...hypothesis, score: hypothesis.score + silence })
        if (symbols < MAX_SYMBOLS_A_FRAME) candidates.push(...this.#candidates(scores, row, hypothesis, logZ))
      }
      open = this.#extend(prune(candidates, done))
    }
    const survivors = best([...done.values()])
    this.#beam = survivors.filter(({ score }) => score > survivors[0]!.score - MARGIN)
  }

  get #symbols(): number {
    return this.#transducer.blank + 1
  }

  #join(encoded: Float32Array, frame: number, open: readonly Hypothesis[]): Float32Array {
    const predictions = open.map(({ said }) => said.prediction!)
    const { maxRows } = this.#transducer
    if (predictions.length <= maxRows) return this.#transducer.joinEach(encoded, frame, predictions)
    const scores = new Float32Array(predictions.length * this.#symbols)
    for (let row = 0; row < predictions.length; row += maxRows) {
      const part = this.#transducer.joinEach(encoded, frame, predictions.slice(row, row + maxRows))
      scores.set(
        part.subarray(0, Math.min(maxRows, predictions.length - row) * this.#symbols),
        row * this.#symbols,
      )
    }
    return scores
  }

  /** The likeliest pieces, and those that go on with a phrase, where they have a chance beside silence. */
  #candidates(scores: Float32Array, row: number, from: Hypothesis, logZ: number): Candidate[] {
    const start = row * this.#symbols
    const floor = scores[start + this.#transducer.blank]! - MARGIN
    const { phrase } = from.said
    const favoured = this.#phrases.favoured(phrase)
    const candidates: Candidate[] = []
    const consider = (piece: number, gain: number) => {
      const logProbability = scores[start + piece]! - logZ
      const emission = { piece, frame: this.#frame, logProbability }
      candidates.push({ from, emission, score: from.score + logProbability + gain })
    }
    for (const [piece, { gain }] of favoured) if (scores[start + piece]! + gain > floor) consider(piece, gain)
    for (let piece = 0; piece < this.#transducer.blank; piece++) {
      if (scores[start + piece]! <= floor || favoured.has(piece)) continue
      consider(piece, this.#phrases.step(phrase, piece).gain)
    }
    return candidates
  }

  #extend(candidates: readonly Candidate[]): Hypothesis[] {
    const extended = new Map<Said, Hypothesis>()
    for (const { from, emission, score } of candidates) {
      const said = this.#say(from.said, emission.piece)
      said.prediction ??= this.#transducer.predict(emission.piece, from.said.prediction!)
      keepBest(extended, { said, emissions: [...from.emissions, emission], score })
    }
    return [...extended.values()]
  }

  #say(parent: Said, piece: number): Said {
    let said = parent.children.get(piece)
    if (said === undefined) {
      const phrase = this.#phrases.step(parent.phrase, piece).node
      said = { children: new Map(), phrase, prediction: undefined }
      parent.children.set(piece, said)
    }
    return said
  }

  /** Hypotheses that differ from the best one in what was said long ago are dropped. */
  #decideOld(): void {
    const oldest = this.#frame - MAX_OPEN_FRAMES
    const [first] = this.#beam as [Hypothesis]
    const decided = first.emissions.filter(({ frame }) => frame < oldest).length
    const pieces = first.emissions.slice(0, decided).map(({ piece }) => piece)
    this.#beam = this.#beam.filter(({ emissions }) =>
      pieces.every((piece, i) => emissions[i]?.piece === piece),
    )
  }

  /** Takes off what all hypotheses begin with. */
  #takeAgreed(): readonly Emission[] {
    const [first, ...others] = this.#beam as [Hypothesis, ...Hypothesis[]]
    let agreed = 0
    while (
      agreed < first.emissions.length &&
      others.every(({ emissions }) => emissions[agreed]?.piece === first.emissions[agreed]!.piece)
    ) {
      agreed++
    }
    this.#beam = this.#beam.map(hypothesis => ({
      ...hypothesis,
      emissions: hypothesis.emissions.slice(agreed),
    }))
    return first.emissions.slice(0, agreed)
  }
}

/** Of two ways to say the same, the likelier stays. */
function keepBest(hypotheses: Map<Said, Hypothesis>, hypothesis: Hypothesis): void {
  const other = hypotheses.get(hypothesis.said)
  if (other === undefined || hypothesis.score > other.score) hypotheses.set(hypothesis.said, hypothesis)
}

/** The candidates that are worth a run of the decoder. */
function prune(candidates: readonly Candidate[], done: ReadonlyMap<Said, Hypothesis>): Candidate[] {
  const finished = best([...done.values()])
  const floor = Math.max(finished[0]!.score - MARGIN, finished[BEAM - 1]?.score ?? Number.NEGATIVE_INFINITY)
  return best(candidates.filter(({ score }) => score > floor))
}

function best<T extends { readonly score: number }>(scored: readonly T[]): T[] {
  return [...scored].sort((a, b) => b.score - a.score).slice(0, BEAM)
}
