// Any sample rate to 16 kHz, piece by piece. What the target rate cannot carry is at least 60 dB down, because a recogniser can mistake an
// alias of a fan or a hiss for speech. By hand, because audio must sound the same from browsers and from Node, however the signal is cut.

import { PolyphaseFilter, type ReserveMemory } from './polyphase-filter.ts'

export interface Resampler {
  /** Takes the next samples and returns those of the target rate that are known by now. The result does not depend on how the signal is cut. */
  push(samples: Float32Array): Float32Array<ArrayBuffer>
  /** The end of the signal: gives what is left. Afterwards the resampler starts over. */
  flush(): Float32Array<ArrayBuffer>
}

export type CreateResampler = (fromHz: number, toHz?: number) => Resampler

const MIN_RATE_HZ = 1_000
const MAX_RATE_HZ = 768_000
/** Filters of usual rates are shared: their tables take up to 500 kB and milliseconds to compute. */
const MAX_SHARED_FILTERS = 12
const MAX_SHARED_PHASES = 640

/** In double precision: JavaScript would convert each number before each multiplication, which takes as long. */
export const createResampler = resamplersWith(length => {
  const floats = new Float64Array(length)
  return { floats, multiply: (weights, samples, count) => multiply(floats, weights, samples, count) }
})

/** Resamplers whose filters do their arithmetic elsewhere: what costs time is the multiplications, and only those. */
export function resamplersWith(reserve: ReserveMemory): CreateResampler {
  const shared = new Map<string, PolyphaseFilter>()
  const filterFor = (from: number, to: number) => {
    const name = `${from} ${to}`
    const filter = shared.get(name) ?? new PolyphaseFilter(from, to, reserve)
    if (filter.phases <= MAX_SHARED_PHASES && shared.size < MAX_SHARED_FILTERS) shared.set(name, filter)
    return filter
  }
  return (fromHz, toHz = 16_000) => {
    const [from, to] = [checkedRate(fromHz), checkedRate(toHz)]
    return from === to
      ? { push: copy, flush: () => new Float32Array(0) }
      : new PolyphaseResampler(filterFor(from, to))
  }
}

/** Four sums, because each addition has to wait for the one before it. */
function multiply(floats: Float64Array, weights: number, samples: number, count: number): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let w = weights, s = samples; w < weights + count; w += 4, s += 4) {
    a += floats[w]! * floats[s]!
    b += floats[w + 1]! * floats[s + 1]!
    c += floats[w + 2]! * floats[s + 2]!
    d += floats[w + 3]! * floats[s + 3]!
  }
  return a + b + c + d
}

function copy(samples: Float32Array): Float32Array<ArrayBuffer> {
  return new Float32Array(samples)
}

function checkedRate(rateHz: number): number {
  const rate = Math.round(rateHz)
  if (rate >= MIN_RATE_HZ && rate <= MAX_RATE_HZ) return rate
  throw new RangeError(`a sample rate is between ${MIN_RATE_HZ} and ${MAX_RATE_HZ} Hz, not ${rateHz}`)
}

class PolyphaseResampler implements Resampler {
  readonly #filter: PolyphaseFilter
  /** What the next output is made of, as far as it is known. The filter's own memory serves all its resamplers in turn. */
  readonly #kept: Float32Array
  #keptCount = 0
  /** Of the next output. */
  #phase = 0

  constructor(filter: PolyphaseFilter) {
    this.#filter = filter
    this.#kept = new Float32Array(filter.span)
    this.#startOver()
  }

  push(samples: Float32Array): Float32Array<ArrayBuffer> {
    const output = new Float32Array(this.#countWith(samples.length))
    const blockLength = this.#filter.samples.length - this.#kept.length
    let done = 0
    for (let from = 0; from < samples.length; from += blockLength)
      done += this.#filterBlock(samples.subarray(from, from + blockLength), output, done)
    return output
  }

  /** The outputs that stand before the end of the signal, which silence follows. */
  flush(): Float32Array<ArrayBuffer> {
    const { span, lead } = this.#filter
    const rest = this.push(new Float32Array(span - lead - 1))
    this.#startOver()
    return rest
  }

  /** Silence comes before the signal, too. */
  #startOver(): void {
    this.#keptCount = this.#filter.lead
    this.#kept.fill(0, 0, this.#keptCount)
    this.#phase = 0
  }

  /** How many outputs are known with this many samples more. */
  #countWith(more: number): number {
    const { span, step, phases } = this.#filter
    const room = this.#keptCount + more - span
    return room < 0 ? 0 : Math.ceil(((room + 1) * phases - this.#phase) / step)
  }

  #filterBlock(block: Float32Array, output: Float32Array, from: number): number {
    const filter = this.#filter
    const { samples, step, phases } = filter
    const count = this.#countWith(block.length)
    samples.set(this.#kept.subarray(0, this.#keptCount))
    samples.set(block, this.#keptCount)
    let [first, phase] = [0, this.#phase]
    for (let n = 0; n < count; n++) {
      output[from + n] = filter.at(first, phase)
      phase += step
      first += Math.floor(phase / phases)
      phase %= phases
    }
    const filled = this.#keptCount + block.length
    this.#kept.set(samples.subarray(first, filled))
    this.#keptCount = filled - first
    this.#phase = phase
    return count
  }
}
