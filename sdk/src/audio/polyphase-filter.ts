// A band-limited interpolator between two sample rates (windowed sinc), with a table of weights for each phase: each position between two
// samples at which an output can stand. An odd rate has so many of them that neighbours share a table.

import { reachFor, weightAt } from './low-pass.ts'

/** Where a filter has its weights, and the samples that they are multiplied with. */
export interface FilterMemory {
  readonly floats: Float32Array | Float64Array
  /** The sum of the products of weights and samples, which begin at these places. There are a multiple of 8 of them. */
  multiply(weights: number, samples: number, count: number): number
}

/** All zeros. */
export type ReserveMemory = (length: number) => FilterMemory

/** The part of the narrower band that the filter's slope takes: at 16 kHz, flat up to 7.2 kHz. */
const SLOPE = 0.1
const COUNT_MULTIPLE = 8
/** How many samples are filtered at a time, so that a whole file takes no more memory than a stream. */
const BLOCK_SAMPLES = 4_096
/** A table for more than one position adds noise at -67 dB at most; a table for each would take 290 MB for a file that says 767,999 Hz. */
const MOST_TABLES = 2_048

export class PolyphaseFilter {
  /** Output n stands at the input's sample n * step / phases. */
  readonly phases: number
  readonly step: number
  /** How many samples one output is made of, and how many of them come before the one at which it stands. */
  readonly span: number
  readonly lead: number
  /** For the caller to fill before at(). */
  readonly samples: Float32Array | Float64Array
  readonly #reach: number
  readonly #cutoff: number
  readonly #memory: FilterMemory
  readonly #tables: number
  readonly #hasTable: Uint8Array

  constructor(fromHz: number, toHz: number, reserve: ReserveMemory) {
    const divisor = greatestCommonDivisor(fromHz, toHz)
    this.phases = toHz / divisor
    this.step = fromHz / divisor
    // In parts of the input rate: the slope ends where the narrower of the two bands ends.
    const bandEdge = Math.min(fromHz, toHz) / 2 / fromHz
    const slope = bandEdge * SLOPE
    this.#cutoff = bandEdge - slope / 2
    this.#reach = Math.ceil(reachFor(slope))
    this.lead = this.#reach - 1
    this.span = Math.ceil((2 * this.#reach) / COUNT_MULTIPLE) * COUNT_MULTIPLE
    this.#tables = Math.min(this.phases, MOST_TABLES)
    this.#hasTable = new Uint8Array(this.#tables)
    this.#memory = reserve(this.span + BLOCK_SAMPLES + this.#tables * this.span)
    this.samples = this.#memory.floats.subarray(0, this.span + BLOCK_SAMPLES)
  }

  /** The output of this phase that is made of the samples from `first` on. */
  at(first: number, phase: number): number {
    const table = this.#tables === this.phases ? phase : Math.floor((phase * this.#tables) / this.phases)
    const place = this.samples.length + table * this.span
    if (this.#hasTable[table] === 0) this.#makeTable(table, place)
    return this.#memory.multiply(place, first, this.span)
  }

  /** When first needed. The sum of its weights is 1. */
  #makeTable(table: number, at: number): void {
    const middle = this.#tables === this.phases ? 0 : 0.5
    const weights = Float64Array.from({ length: 2 * this.#reach }, (_, tap) =>
      weightAt(tap - this.lead - (table + middle) / this.#tables, this.#reach, this.#cutoff),
    )
    const sum = weights.reduce((total, weight) => total + weight, 0)
    this.#memory.floats.set(
      weights.map(weight => weight / sum),
      at,
    )
    this.#hasTable[table] = 1
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
