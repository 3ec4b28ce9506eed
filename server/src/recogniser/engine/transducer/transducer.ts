// Step 5: the two small networks of the transducer. The decoder turns the pieces said so far into a prediction; the joiner combines a
// prediction with encoded frames and gives the probability of every piece and of the blank.

/** What the decoder knows of the pieces said so far. Never changed once made, so hypotheses may share it. */
export interface Prediction {
  /** As the joiner takes it. */
  readonly output: Float32Array
  /** The decoder's own memory; nobody else looks into it. */
  readonly state: unknown
}

/** What decoding needs of a model; a test may bring a table instead. */
export interface Transducer {
  readonly blank: number
  /** Most frames that one call scores. */
  readonly maxRows: number
  /** Before anything is said. */
  readonly start: Prediction
  /** Encoded frames as the joiner takes them. Valid until the next call. */
  prepare(encoded: Float32Array, frames: number): Float32Array
  /**
   * Log probabilities of all symbols at `rows` of the prepared frames from `frame` on. Row i of the result begins at i x (blank + 1) and is
   * valid until the next call.
   */
  join(frames: Float32Array, frame: number, rows: number, prediction: Prediction): Float32Array
  /** The same for one frame beside each prediction, however many. */
  joinEach(frames: Float32Array, frame: number, predictions: readonly Prediction[]): Float32Array
  predict(piece: number, before: Prediction): Prediction
  /** Several at once: piece i after prediction i. */
  predictEach(pieces: readonly number[], before: readonly Prediction[]): readonly Prediction[]
}
