// The audio of a stream that is written once and can be read again: what was sent is kept until its text has arrived, so that
// after a broken connection nothing is lost and nothing is repeated.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { createDeferred, type Deferred } from '../deferred.ts'

/** How far a writer may be ahead of the reader before it has to wait. */
const MAX_AHEAD_SAMPLES = 30 * SAMPLE_RATE_HZ

export class Tape {
  #samples = new Int16Array(1 << 16)
  /** Where in the recording `#samples` begins, and how much of it is filled. */
  #base = 0
  #length = 0
  /** How far the reader has asked. */
  #wanted = 0
  #ended = false
  #failure: { readonly reason: unknown } | undefined
  /** Where the caller ended an utterance, in order. */
  #marks: number[] = []
  #reader: Deferred<void> | undefined
  #writer: Deferred<void> | undefined

  /** Up to here the recording is known. */
  get end(): number {
    return this.#base + this.#length
  }

  /** Not yet forgotten. */
  get heldSamples(): number {
    return this.#length
  }

  /** Takes a copy. The promise is the back-pressure: it resolves when the reader is not far behind. */
  async write(piece: Int16Array): Promise<void> {
    if (this.#failure) throw this.#failure.reason
    this.#append(piece)
    this.#reader?.resolve()
    if (this.end - this.#wanted <= MAX_AHEAD_SAMPLES) return
    this.#writer ??= createDeferred<void>()
    await this.#writer.promise
  }

  /** What was written until now ends an utterance. */
  mark(): void {
    if (this.#length > 0 && this.#marks.at(-1) !== this.end) this.#marks.push(this.end)
    this.#reader?.resolve()
  }

  markAfter(position: number): number | undefined {
    return this.#marks.find(mark => mark > position)
  }

  /** Nothing more will be written. */
  close(): void {
    this.#ended = true
    this.#reader?.resolve()
  }

  /** Nothing more is read or written: everything that waits is rejected with the reason. */
  fail(reason: unknown): void {
    this.#failure = { reason }
    this.#writer?.reject(reason)
    this.#reader?.reject(reason)
  }

  /** Waits until the recording is known up to `position`, or has ended, or has a mark after `start`; says how far it is known. */
  async fill(position: number, start = Number.POSITIVE_INFINITY): Promise<number> {
    this.#want(position)
    while (this.end < position && !this.#ended && this.markAfter(start) === undefined) {
      if (this.#failure) throw this.#failure.reason
      this.#reader = createDeferred<void>()
      await this.#reader.promise
    }
    return this.end
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
    this.#marks = this.#marks.filter(mark => mark > this.#base)
  }

  #want(position: number): void {
    this.#wanted = Math.max(this.#wanted, position)
    if (this.end - this.#wanted > MAX_AHEAD_SAMPLES) return
    this.#writer?.resolve()
    this.#writer = undefined
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
