// How many newcomers an engine takes before they were heard. What a stream costs was measured while the machine had little to do. When many
// speak it can cost more: caches are shared, as are the two halves of a core, and other programs have come meanwhile. A crowd comes faster than
// that can be measured. So an engine takes only as many newcomers as fit if each of them costs 1.6 times what is expected. Once they were heard, the
// engine knows what they cost together, and the next ones get the same part of what is left, and so on. What an engine has carried in time
// lately it takes at once.

/** How many times more than expected newcomers may cost. */
const DOUBT = 1.6
/** After how long an engine trusts half of what it has carried. */
const HALF_LIFE_MS = 10 * 60_000

/** What was seen since the last time. All loads are in parts of a core, by what was measured when the engine started. */
export interface Seen {
  readonly elapsedMs: number
  /** Work that was done. */
  readonly heard: number
  /** What the streams need that are no newcomers any more. */
  readonly settled: number
  /** What could be carried in all, as far as it is known. */
  readonly most: number
  readonly isLate: boolean
}

export class SlowStart {
  /** What was carried in time. */
  #proven = 0

  learn({ elapsedMs, heard, settled, most, isLate }: Seen): void {
    this.#proven = Math.min(this.#proven * 0.5 ** (elapsedMs / HALF_LIFE_MS), most)
    if (!isLate) this.#proven = Math.max(this.#proven, Math.min(heard, settled))
  }

  /** How much of `most` may be taken on now, where `settled` is carried already. */
  limit(settled: number, most: number): number {
    if (most <= settled) return most
    return Math.max(settled + (most - settled) / DOUBT, Math.min(this.#proven, most))
  }
}
