// What every frame says by itself, whatever was said before it: the natural logarithm of the probability of each piece and of nothing (the blank).
// A sequence of pieces is as likely by the frames as all ways together to say it: each frame says one piece or nothing, and a piece may last
// several frames (CTC). The transducer weighs a frame with what was said; an unknown voice makes it doubt more than the frames alone do.

/** Frames before the one at which the search says a piece that may have said it already. The two seldom differ by more than one. */
const BEFORE = 3
/** Frames after it that may still begin to say it. */
const AFTER = 4
/** Values of as many frames are kept, a power of two. */
const KEPT = 8
const IMPOSSIBLE = -1e30

/** The scores of a chunk's frames, and of the last frames before them. */
export class FrameScores {
  readonly #symbols: number
  #values = new Float32Array(0)
  #first = 0
  #end = 0

  constructor(blank: number) {
    this.#symbols = blank + 1
  }

  /** The next frames, row by row. */
  add(scores: Float32Array, frames: number): void {
    const kept = Math.min(BEFORE + 1, this.#end - this.#first)
    const values = new Float32Array((kept + frames) * this.#symbols)
    values.set(this.#values.subarray(this.#values.length - kept * this.#symbols))
    values.set(scores.subarray(0, frames * this.#symbols), kept * this.#symbols)
    this.#values = values
    this.#first = this.#end - kept
    this.#end += frames
  }

  row(frame: number): Float32Array {
    const start = (frame - this.#first) * this.#symbols
    return this.#values.subarray(start, start + this.#symbols)
  }
}

/** A sequence of pieces, and how likely it is by the frames so far. */
export class SaidInFrames {
  readonly #scores: FrameScores
  readonly #blank: number
  readonly #piece: number | undefined
  /** What was said before the last piece, as long as a frame may still begin to say that piece. */
  #before: SaidInFrames | undefined
  readonly #first: number
  #next: number
  /** After a frame: all ways that end in nothing, and those that end in the piece. */
  readonly #silent = new Float64Array(KEPT).fill(IMPOSSIBLE)
  readonly #speaking = new Float64Array(KEPT).fill(IMPOSSIBLE)

  private constructor(
    scores: FrameScores,
    blank: number,
    first: number,
    piece?: number,
    before?: SaidInFrames,
  ) {
    this.#scores = scores
    this.#blank = blank
    this.#piece = piece
    this.#before = before
    this.#first = first
    this.#next = first
  }

  /** Nothing, before the first frame. */
  static nothing(scores: FrameScores, blank: number): SaidInFrames {
    return new SaidInFrames(scores, blank, 0)
  }

  /** One more piece, which the search says at this frame. */
  say(piece: number, frame: number): SaidInFrames {
    return new SaidInFrames(this.#scores, this.#blank, Math.max(0, frame - BEFORE), piece, this)
  }

  /** Whether it can be heard on at this frame, behind what is before it now: the frames since then are kept. */
  canGoOn(frame: number, before: SaidInFrames): boolean {
    const isBehind = this.#before === undefined || this.#before === before
    return isBehind && this.#next >= frame - BEFORE
  }

  /** The natural logarithm of its probability by all frames up to this one. */
  likelihood(frame: number): number {
    this.#hearUntil(frame)
    return logOfSum(this.#silent[frame % KEPT]!, this.#speaking[frame % KEPT]!)
  }

  #hearUntil(frame: number): void {
    for (; this.#next <= frame; this.#next++) this.#hear(this.#next)
  }

  #hear(frame: number): void {
    const scores = this.#scores.row(frame)
    const [silent, speaking] = this.#after(frame - 1)
    this.#silent[frame % KEPT] = logOfSum(silent, speaking) + scores[this.#blank]!
    if (this.#piece === undefined) return
    const begins = this.#before === undefined ? IMPOSSIBLE : this.#before.#endsBefore(frame, this.#piece)
    this.#speaking[frame % KEPT] = logOfSum(speaking, begins) + scores[this.#piece]!
    if (frame >= this.#first + BEFORE + AFTER) this.#before = undefined
  }

  /** How likely it is that this was said before the frame and a piece begins there. The same piece again needs a silent frame between. */
  #endsBefore(frame: number, piece: number): number {
    // This frame, too: frames far behind are not kept, and the next one may be in another chunk.
    this.#hearUntil(frame)
    const [silent, speaking] = this.#after(frame - 1)
    return piece === this.#piece ? silent : logOfSum(silent, speaking)
  }

  #after(frame: number): readonly [number, number] {
    if (frame < 0) return [this.#piece === undefined ? 0 : IMPOSSIBLE, IMPOSSIBLE]
    if (frame < this.#first || frame < this.#next - KEPT) return [IMPOSSIBLE, IMPOSSIBLE]
    return [this.#silent[frame % KEPT]!, this.#speaking[frame % KEPT]!]
  }
}

/** Of two probabilities that are given as logarithms. */
export function logOfSum(a: number, b: number): number {
  return Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))
}
