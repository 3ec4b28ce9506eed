// Step 6: the hypotheses of a beam search, what each of them said and how likely it is.

import type { Prediction } from '../transducer/transducer.ts'
import { logOfSum, type SaidInFrames } from './frame-scores.ts'
import type { LanguageContext } from './language-model.ts'
import type { PhraseNode } from './phrase-tree.ts'
import type { Emission } from './search.ts'

/**
 * A sequence of pieces: equal sequences are the same object, however they came about. It does not hold what came before it, so that the
 * memory of an utterance does not grow with its length.
 */
export interface Said {
  readonly children: Map<number, Said>
  readonly phrase: PhraseNode
  readonly context: LanguageContext
  prediction: Prediction | undefined
  /** Where the model scores frames by themselves. */
  inFrames: SaidInFrames | undefined
  /** Of the guides together, for every piece that may come next. */
  gains: Float32Array | undefined
}

/** One way to say something. */
export interface Way {
  readonly said: Said
  /** What `said` adds to what was reported, the newest last. */
  readonly emissions: readonly Emission[]
  /** Log probability by the transducer plus bonus. */
  readonly score: number
}

export interface Hypothesis extends Way {
  /** With what the frames say by themselves. */
  readonly total: number
}

/** How many hypotheses are carried from frame to frame. */
export interface Width {
  /** What is this much less likely than the best is dropped. */
  readonly margin: number
  readonly beam: number
}

/** A hypothesis that would say one more piece. */
export interface Candidate {
  readonly from: Way
  readonly said: Said
  readonly emission: Emission
  readonly score: number
  readonly total: number
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
export function addWay(ways: Map<Said, Way>, way: Way): void {
  const other = ways.get(way.said)
  if (other === undefined) ways.set(way.said, way)
  else
    ways.set(way.said, {
      ...(way.score > other.score ? way : other),
      score: logOfSum(way.score, other.score),
    })
}

/**
 * The candidates that are worth a run of the decoder. What is far behind the likeliest candidate would be dropped at the end of the frame
 * as well, after it cost a run.
 */
export function prune(
  candidates: readonly Candidate[],
  done: readonly Hypothesis[],
  { margin, beam }: Width,
): Candidate[] {
  const finished = best(done, beam)
  const likeliest = candidates.reduce((most, { total }) => Math.max(most, total), finished[0]!.total)
  const floor = Math.max(likeliest - margin, finished[beam - 1]?.total ?? Number.NEGATIVE_INFINITY)
  return best(
    candidates.filter(({ total }) => total > floor),
    beam,
  )
}

export function best<T extends { readonly total: number }>(rated: readonly T[], beam: number): T[] {
  return [...rated].sort((a, b) => b.total - a.total).slice(0, beam)
}
