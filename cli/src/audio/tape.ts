// A recording that is read once and can be gone back on: what was sent is kept until its text has arrived, so that after a
// broken connection nothing is lost and nothing is said twice.

export class Tape {
  readonly #source: AsyncIterator<Int16Array>
  #samples = new Int16Array(1 << 16)
  /** Where in the recording `#samples` begins, and how much of it is filled. */
  #base = 0
  #length = 0
  #ended = false

  constructor(source: AsyncIterable<Int16Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Reads on until the recording is known up to `position`, or has ended; says how far it is known. */
  async fill(position: number): Promise<number> {
    while (this.#base + this.#length < position && !this.#ended) {
      const { value, done } = await this.#source.next()
      if (done) this.#ended = true
      else this.#append(value)
    }
    return this.#base + this.#length
  }

  /** A copy of what lies between two positions that are known and not forgotten. */
  slice(from: number, to: number): Int16Array<ArrayBuffer> {
    if (from < this.#base) throw new RangeError(`the tape was forgotten up to ${this.#base}`)
    return this.#samples.slice(from - this.#base, Math.min(to - this.#base, this.#length))
  }

  forget(before: number): void {
    const surplus = Math.min(before - this.#base, this.#length)
    if (surplus <= 0) return
    this.#samples.copyWithin(0, surplus, this.#length)
    this.#base += surplus
    this.#length -= surplus
  }

  /** Lets go of the source: a program that records or decodes ends with it. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  #append(piece: Int16Array): void {
    if (this.#length + piece.length > this.#samples.length) {
      const larger = new Int16Array(2 * (this.#length + piece.length))
      larger.set(this.#samples.subarray(0, this.#length))
      this.#samples = larger
    }
    this.#samples.set(piece, this.#length)
    this.#length += piece.length
  }
}
