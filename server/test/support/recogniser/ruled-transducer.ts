// A transducer that follows a rule instead of a network: frame f is encoded as the number f, and a prediction carries what was said.

import { logSoftmax } from '#server/recogniser/engine/transducer/log-softmax.js'
import type { Prediction, Transducer } from '#server/recogniser/engine/transducer/transducer.js'

/** The scores of all symbols, the blank last, at a frame and after what was said. */
export type Rule = (frame: number, said: readonly number[]) => readonly number[]

export function ruledTransducer(blank: number, maxRows: number, rule: Rule): Transducer {
  const prediction = (said: readonly number[]): Prediction => ({
    output: Float32Array.from(said),
    state: undefined,
  })
  const score = (frames: readonly number[], before: readonly Prediction[]) => {
    const scores = Float32Array.from(
      frames.flatMap((frame, row) => [...rule(frame, [...before[row]!.output])]),
    )
    for (let row = 0; row < frames.length; row++) logSoftmax(scores, row * (blank + 1), blank + 1)
    return scores
  }
  return {
    blank,
    maxRows,
    start: prediction([]),
    prepare: encoded => encoded,
    join: (frames, frame, rows, before) =>
      score([...frames.subarray(frame, frame + rows)], Array(rows).fill(before)),
    joinEach: (frames, frame, before) => score(Array(before.length).fill(frames[frame]!), before),
    predict: (piece, before) => prediction([...before.output, piece]),
    predictEach: (pieces, before) => pieces.map((piece, i) => prediction([...before[i]!.output, piece])),
  }
}

/** Encoded frames from `first` on. */
export function numberedFrames(first: number, frames: number): Float32Array {
  return Float32Array.from({ length: frames }, (_, i) => first + i)
}
