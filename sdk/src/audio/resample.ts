// Any sample rate to 16 kHz, piece by piece: a band-limited interpolator (windowed sinc, one table per phase). What the
// target rate cannot carry is at least 60 dB down, because a recogniser can mistake an alias of a fan or a hiss for speech.
// By hand, because it must give the same samples in browsers and in Node, however the signal is cut.

export interface Resampler {
  /** Takes the next samples and returns those of the target rate that are known by now. The result does not depend on how the signal is cut. */
  push(samples: Float32Array): Float32Array<ArrayBuffer>
  /** The end of the signal: gives what is left. Afterwards the resampler starts over. */
  flush(): Float32Array<ArrayBuffer>
}

/** Kaiser's window: 75 dB of stop band, a margin over the 60 dB that we promise. */
const STOP_BAND_DB = 75
/** The part of the narrower band that the filter's slope takes: at 16 kHz, flat up to 7.2 kHz. */
const SLOPE = 0.1
const MIN_RATE_HZ = 1_000
const MAX_RATE_HZ = 768_000

export function createResampler(fromHz: number, toHz = 16_000): Resampler {
  const [from, to] = [checkedRate(fromHz), checkedRate(toHz)]
  return from === to ? { push: copy, flush: () => new Float32Array(0) } : new PolyphaseResampler(from, to)
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
  /** Output sample n stands at input position n * step / phases. */
  readonly #phases: number
  readonly #step: number
  readonly #halfTaps: number
  readonly #cutoff: number
  readonly #tables: Float64Array[] = []
  /** The input from `#startIndex` on; before the signal began, there was silence. */
  #history: Float32Array = new Float32Array(0)
  #startIndex = 0
  #inputCount = 0
  #outputCount = 0

  constructor(fromHz: number, toHz: number) {
    const divisor = greatestCommonDivisor(fromHz, toHz)
    this.#phases = toHz / divisor
    this.#step = fromHz / divisor
    // In parts of the input rate: the slope ends where the narrower of the two bands ends.
    const bandEdge = Math.min(fromHz, toHz) / 2 / fromHz
    const slope = bandEdge * SLOPE
    this.#cutoff = bandEdge - slope / 2
    this.#halfTaps = Math.ceil((STOP_BAND_DB - 8) / (2.285 * 2 * Math.PI * slope) / 2)
  }

  push(samples: Float32Array): Float32Array<ArrayBuffer> {
    this.#append(samples)
    this.#inputCount += samples.length
    return this.#produce(this.#inputCount - this.#halfTaps)
  }

  flush(): Float32Array<ArrayBuffer> {
    this.#append(new Float32Array(this.#halfTaps + 1))
    const rest = this.#produce(this.#inputCount)
    this.#history = new Float32Array(0)
    this.#startIndex = this.#inputCount = this.#outputCount = 0
    return rest
  }

  #append(samples: Float32Array): void {
    const joined = new Float32Array(this.#history.length + samples.length)
    joined.set(this.#history)
    joined.set(samples, this.#history.length)
    this.#history = joined
  }

  /** All outputs whose position lies before `limit` in the input. */
  #produce(limit: number): Float32Array<ArrayBuffer> {
    const lastOutput = Math.ceil((limit * this.#phases) / this.#step)
    const output = new Float32Array(Math.max(0, lastOutput - this.#outputCount))
    for (let index = 0; index < output.length; index++)
      output[index] = this.#interpolate(this.#outputCount + index)
    this.#outputCount += output.length
    this.#forget()
    return output
  }

  #interpolate(outputIndex: number): number {
    // Read once: where browsers are old, the build turns private fields into look-ups, and one per tap takes most of the time.
    const history = this.#history
    const position = outputIndex * this.#step
    const table = this.#tableOf(position % this.#phases)
    const first = Math.floor(position / this.#phases) - this.#halfTaps + 1 - this.#startIndex
    let sum = 0
    for (let tap = Math.max(0, -first); tap < table.length; tap++) sum += table[tap]! * history[first + tap]!
    return sum
  }

  #forget(): void {
    const needed = Math.floor((this.#outputCount * this.#step) / this.#phases) - this.#halfTaps + 1
    const surplus = Math.min(needed - this.#startIndex, this.#history.length)
    if (surplus <= 0) return
    this.#history = this.#history.slice(surplus)
    this.#startIndex += surplus
  }

  /** Made when first needed: an odd rate has thousands of phases. */
  #tableOf(phase: number): Float64Array {
    this.#tables[phase] ??= makeTable(phase / this.#phases, this.#halfTaps, this.#cutoff)
    return this.#tables[phase]
  }
}

/** The weights of the 2 * halfTaps samples around a position that lies `fraction` after an input sample; their sum is 1. */
function makeTable(fraction: number, halfTaps: number, cutoff: number): Float64Array {
  const beta = 0.1102 * (STOP_BAND_DB - 8.7)
  const table = new Float64Array(2 * halfTaps)
  let sum = 0
  for (let tap = 0; tap < table.length; tap++) {
    const distance = tap - halfTaps + 1 - fraction
    const edge = distance / halfTaps
    const window = besselI0(beta * Math.sqrt(Math.max(0, 1 - edge * edge)))
    table[tap] = window * sinc(2 * cutoff * distance)
    sum += table[tap]!
  }
  return table.map(weight => weight / sum)
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** Modified Bessel function of the first kind, order 0, by its series. */
function besselI0(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / 2 / k) ** 2
    sum += term
  }
  return sum
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
