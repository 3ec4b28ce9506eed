// Step 5, the innermost loop: 512 real samples become 257 powers. A radix-4 transform of 256 complex points on typed arrays that
// are allocated once: half the work of a complex transform of 512, and nothing for the garbage collector. By hand, so
// that the innermost loop of the engine allocates nothing and depends on no package.

export const FFT_SIZE = 512
export const SPECTRUM_SIZE = FFT_SIZE / 2 + 1
const POINTS = FFT_SIZE / 2

export class PowerSpectrum {
  readonly #re = new Float64Array(POINTS)
  readonly #im = new Float64Array(POINTS)
  readonly #order = digitReversal()
  readonly #cos = new Float64Array(POINTS)
  readonly #sin = new Float64Array(POINTS)
  readonly #splitCos = new Float64Array(POINTS)
  readonly #splitSin = new Float64Array(POINTS)
  readonly #window: Float64Array

  /** `window` has 384 to 512 values, an even number; what it does not cover is zero. */
  constructor(window: Float64Array) {
    this.#window = window
    for (let k = 0; k < POINTS; k++) {
      this.#cos[k] = Math.cos((-2 * Math.PI * k) / POINTS)
      this.#sin[k] = Math.sin((-2 * Math.PI * k) / POINTS)
      this.#splitCos[k] = Math.cos((-2 * Math.PI * k) / FFT_SIZE)
      this.#splitSin[k] = Math.sin((-2 * Math.PI * k) / FFT_SIZE)
    }
  }

  /** Writes the powers of the windowed signal that begins at `start`. */
  compute(signal: Float64Array, start: number, powers: Float64Array): void {
    this.#firstStage(signal, start)
    for (let size = 16; size <= POINTS; size *= 4) this.#stage(size)
    this.#split(powers)
  }

  /**
   * Two neighbouring samples make one complex point. The first stage, four points that lie a quarter of the window apart, needs no twiddle
   * factors and no table, so it takes them right from the signal. Of the last quarter only the beginning is covered by the window.
   */
  #firstStage(signal: Float64Array, start: number): void {
    const re = this.#re
    const im = this.#im
    const order = this.#order
    const window = this.#window
    const { length } = window
    for (let a = 0; a < POINTS; a += 4) {
      const at = 2 * order[a]!
      const b = at + POINTS / 2
      const c = at + POINTS
      const d = at + POINTS + POINTS / 2
      const isCovered = d < length
      const ar = signal[start + at]! * window[at]!
      const ai = signal[start + at + 1]! * window[at + 1]!
      const br = signal[start + b]! * window[b]!
      const bi = signal[start + b + 1]! * window[b + 1]!
      const cr = signal[start + c]! * window[c]!
      const ci = signal[start + c + 1]! * window[c + 1]!
      const dr = isCovered ? signal[start + d]! * window[d]! : 0
      const di = isCovered ? signal[start + d + 1]! * window[d + 1]! : 0
      re[a] = ar + cr + (br + dr)
      im[a] = ai + ci + (bi + di)
      re[a + 1] = ar - cr + (bi - di)
      im[a + 1] = ai - ci + (dr - br)
      re[a + 2] = ar + cr - (br + dr)
      im[a + 2] = ai + ci - (bi + di)
      re[a + 3] = ar - cr - (bi - di)
      im[a + 3] = ai - ci - (dr - br)
    }
  }

  /** One radix-4 stage: quarters of every block of `size` points are turned by their twiddle factors and combined. */
  #stage(size: number): void {
    const re = this.#re
    const im = this.#im
    const cos = this.#cos
    const sin = this.#sin
    const quarter = size >> 2
    const stride = POINTS / size
    for (let j = 0; j < quarter; j++) {
      const t = j * stride
      const c1 = cos[t]!
      const s1 = sin[t]!
      const c2 = cos[2 * t]!
      const s2 = sin[2 * t]!
      const c3 = cos[3 * t]!
      const s3 = sin[3 * t]!
      for (let a = j; a < POINTS; a += size) {
        const b = a + quarter
        const c = b + quarter
        const d = c + quarter
        const br = re[b]! * c1 - im[b]! * s1
        const bi = re[b]! * s1 + im[b]! * c1
        const cr = re[c]! * c2 - im[c]! * s2
        const ci = re[c]! * s2 + im[c]! * c2
        const dr = re[d]! * c3 - im[d]! * s3
        const di = re[d]! * s3 + im[d]! * c3
        const sumR = re[a]! + cr
        const sumI = im[a]! + ci
        const diffR = re[a]! - cr
        const diffI = im[a]! - ci
        const oddR = br + dr
        const oddI = bi + di
        const turnR = bi - di
        const turnI = dr - br
        re[a] = sumR + oddR
        im[a] = sumI + oddI
        re[b] = diffR + turnR
        im[b] = diffI + turnI
        re[c] = sumR - oddR
        im[c] = sumI - oddI
        re[d] = diffR - turnR
        im[d] = diffI - turnI
      }
    }
  }

  /** Takes the two interleaved real transforms apart and squares. Bins k and 256 - k share their terms. */
  #split(powers: Float64Array): void {
    const re = this.#re
    const im = this.#im
    const cos = this.#splitCos
    const sin = this.#splitSin
    powers[0] = (re[0]! + im[0]!) ** 2
    powers[POINTS] = (re[0]! - im[0]!) ** 2
    for (let k = 1, m = POINTS - 1; k <= m; k++, m--) {
      const evenR = (re[k]! + re[m]!) / 2
      const evenI = (im[k]! - im[m]!) / 2
      const oddR = (im[k]! + im[m]!) / 2
      const oddI = (re[m]! - re[k]!) / 2
      const turnR = oddR * cos[k]! - oddI * sin[k]!
      const turnI = oddR * sin[k]! + oddI * cos[k]!
      powers[k] = (evenR + turnR) ** 2 + (evenI + turnI) ** 2
      powers[m] = (evenR - turnR) ** 2 + (evenI - turnI) ** 2
    }
  }
}

/** Which point is at place i before the first stage: the base-4 digits of i, backwards. */
function digitReversal(): Uint16Array {
  return Uint16Array.from({ length: POINTS }, (_, i) => {
    let reversed = 0
    for (let rest = i, place = 1; place < POINTS; place *= 4, rest >>= 2) reversed = reversed * 4 + (rest & 3)
    return reversed
  })
}
