// What every way of searching has in common: it takes prepared frames and gives the pieces that are certain by now.

export interface Emission {
  readonly piece: number
  /** Encoder frame of the utterance at which it was said. */
  readonly frame: number
  /** Natural logarithm of its probability. */
  readonly logProbability: number
}

export interface Search {
  /**
   * Searches the next frames of the utterance, as the transducer prepares them. `alone` tells what each of them says by itself, where the
   * model knows. What it gives is never taken back.
   */
  advance(prepared: Float32Array, frames: number, alone?: () => Float32Array): readonly Emission[]
  /** The utterance is over: what was not certain yet. */
  finish(): readonly Emission[]
}
