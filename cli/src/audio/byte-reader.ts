// Bytes that arrive in pieces of any size, read in pieces of the size that is wanted.

const REST_BYTES = 16_384

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)
  #ended = false

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** That many bytes, or fewer at the end of the source; they stay unread. */
  async peek(length: number): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for (let held = this.#held.length; held < length && !this.#ended; ) {
      const { value, done } = await this.#source.next()
      if (done) this.#ended = true
      else held += pieces[pieces.push(value) - 1]!.length
    }
    if (pieces.length > 0) this.#held = Buffer.concat([this.#held, ...pieces])
    return this.#held.subarray(0, length)
  }

  async read(length: number): Promise<Buffer> {
    const bytes = await this.peek(length)
    this.#held = this.#held.subarray(bytes.length)
    return bytes
  }

  /** What is left, piece by piece. */
  async *rest(): AsyncGenerator<Buffer> {
    for (let piece = await this.read(REST_BYTES); piece.length > 0; piece = await this.read(REST_BYTES))
      yield piece
  }

  /** Skips bytes without keeping them; a damaged length may be far larger than memory. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      const { length: got } = await this.read(Math.min(left, 65_536))
      if (got === 0) return
      left -= got
    }
  }

  /** Closes the source before its end. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
