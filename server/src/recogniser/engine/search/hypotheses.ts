// Step 6: the hypotheses of a beam search, what each of them said and how likely it is.

import type { Prediction } from '../transducer/transducer.ts'
import type { LanguageContext } from './language-model.ts'
import type { PhraseNode } from './phrase-tree.ts'
import type { Emission } from './search.ts'

/** Hypotheses that are carried from frame to frame. */
const BEAM = 5

/**
 * A sequence of pieces: equal sequences are the same object, however they came about. It does not hold what came before it, so that the
 * memory of an utterance does not grow with its length.
 */
export interface Said {
  readonly children: Map<number, Said>
  readonly phrase: PhraseNode
  readonly context: LanguageContext
  prediction: Prediction | undefined
  /** Of the guides together, for every piece that may come next. */
  gains: Float32Array | undefined
}

export interface Hypothesis {
  readonly said: Said
  /** What `said` adds to what was reported, the newest last. */
  readonly emissions: readonly Emission[]
  /** Log probability plus bonus. */
  readonly score: number
}

/** A hypothesis that would say one more piece. */
export interface Candidate {
  readonly from: Hypothesis
  readonly emission: Emission
  readonly score: number
}

/** How many pieces both say first. */
export function sharedBeginning({ emissions }: Hypothesis, other: Hypothesis): number {
  const differs = emissions.findIndex(({ piece }, i) => other.emissions[i]?.piece !== piece)
  return differs === -1 ? emissions.length : differs
}

/**
 * Two ways to say the same, at other frames, are together as likely as both; the times are those of the likelier. If only that one counted,
 * words of voices that the network hears less surely would lose against silence, which is said in one way only.
 */
export function addWay(hypotheses: Map<Said, Hypothesis>, way: Hypothesis): void {
  const other = hypotheses.get(way.said)
  if (other === undefined) hypotheses.set(way.said, way)
  else
    hypotheses.set(way.said, {
      ...(way.score > other.score ? way : other),
      score: logOfSum(way.score, other.score),
    })
}

/** Of two probabilities that are given as logarithms. */
function logOfSum(a: number, b: number): number {
  return Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))
}

/**
 * The candidates that are worth a run of the decoder. What is far behind the likeliest candidate would be dropped at the end of the frame
 * as well, after it cost a run.
 */
export function prune(
  candidates: readonly Candidate[],
  done: ReadonlyMap<Said, Hypothesis>,
  margin: number,
): Candidate[] {
  const finished = best([...done.values()])
  const likeliest = candidates.reduce((most, { score }) => Math.max(most, score), finished[0]!.score)
  const floor = Math.max(likeliest - margin, finished[BEAM - 1]?.score ?? Number.NEGATIVE_INFINITY)
  return best(candidates.filter(({ score }) => score > floor))
}

export function best<T extends { readonly score: number }>(scored: readonly T[]): T[] {
  return [...scored].sort((a, b) => b.score - a.score).slice(0, BEAM)
}
