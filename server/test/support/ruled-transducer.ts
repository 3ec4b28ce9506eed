// A transducer that follows a rule instead of a network: frame f is encoded as the number f, and a prediction carries what was said.

import type { Prediction, Transducer } from '#server/recogniser/transducer.js'

/** The scores of all symbols, the blank last, at a frame and after what was said. */
export type Rule = (frame: number, said: readonly number[]) => readonly number[]

export function ruledTransducer(blank: number, maxRows: number, rule: Rule): Transducer {
  const prediction = (said: readonly number[]): Prediction => ({
    output: Float32Array.from(said),
    state: undefined,
  })
  const score = (frames: readonly number[], before: readonly Prediction[]) =>
    Float32Array.from(frames.flatMap((frame, row) => [...rule(frame, [...before[row]!.output])]))
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
