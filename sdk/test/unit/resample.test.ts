import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PolyphaseFilter } from '#sdk/audio/polyphase-filter.js'
import { createResampler } from '#sdk/audio/resample.js'

const TARGET_HZ = 16_000

function resample(samples: Float32Array, fromHz: number, pieces: readonly number[] = []): Float32Array {
  const resampler = createResampler(fromHz)
  const parts: number[] = []
  let start = 0
  for (const length of pieces) {
    parts.push(...resampler.push(samples.subarray(start, start + length)))
    start += length
  }
  parts.push(...resampler.push(samples.subarray(Math.min(start, samples.length))), ...resampler.flush())
  return Float32Array.from(parts)
}

function tone(frequencyHz: number, rateHz: number, seconds = 0.2): Float32Array {
  return Float32Array.from({ length: rateHz * seconds }, (_, n) =>
    Math.sin((2 * Math.PI * frequencyHz * n) / rateHz),
  )
}

/** In dB relative to a full-scale sine. Both ends are left out: a tone that starts suddenly contains other frequencies. */
function levelDb(samples: Float32Array): number {
  const middle = samples.subarray(samples.length * 0.2, samples.length * 0.8)
  const power = middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length
  return 10 * Math.log10(2 * power + 1e-20)
}

/** What is left of the output when the tone itself is taken out: images and aliases. */
function residueDb(samples: Float32Array, frequencyHz: number): number {
  const middle = samples.subarray(samples.length * 0.2, samples.length * 0.8)
  const omega = (2 * Math.PI * frequencyHz) / TARGET_HZ
  const [cosines, sines] = [Math.cos, Math.sin].map(wave => middle.map((_, n) => wave(omega * n)))
  const [a, b] = leastSquares(middle, cosines!, sines!)
  return levelDbWhole(middle.map((sample, n) => sample - a * cosines![n]! - b * sines![n]!))
}

function levelDbWhole(samples: Float32Array): number {
  return 10 * Math.log10((2 * samples.reduce((sum, s) => sum + s * s, 0)) / samples.length + 1e-20)
}

function leastSquares(y: Float32Array, u: Float32Array, v: Float32Array): [number, number] {
  const dot = (p: Float32Array, q: Float32Array) => p.reduce((sum, value, n) => sum + value * q[n]!, 0)
  const [uu, uv, vv, uy, vy] = [dot(u, u), dot(u, v), dot(v, v), dot(u, y), dot(v, y)]
  const determinant = uu * vv - uv * uv
  return [(uy * vv - vy * uv) / determinant, (vy * uu - uy * uv) / determinant]
}

const steps = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step)

describe.each([96_000, 48_000, 44_100, 32_000, 24_000, 22_050])('down from %i Hz', rateHz => {
  test('speech keeps its level up to 7.2 kHz, within 0.1 dB', () => {
    for (const frequency of steps(100, 7_200, 355)) {
      expect(Math.abs(levelDb(resample(tone(frequency, rateHz), rateHz))), `${frequency} Hz`).toBeLessThan(
        0.1,
      )
    }
  })

  test('what 16 kHz cannot carry is at least 70 dB down, all the way to the top', () => {
    for (const frequency of steps(8_000, rateHz / 2 - 1, 331)) {
      expect(levelDb(resample(tone(frequency, rateHz), rateHz)), `${frequency} Hz`).toBeLessThan(-70)
    }
  })
})

describe.each([8_000, 11_025])('up from %i Hz', rateHz => {
  test('tones keep their level, and their mirror images are at least 60 dB down', () => {
    const edge = rateHz / 2
    for (const frequency of steps(100, edge * 0.9, 173)) {
      const output = resample(tone(frequency, rateHz), rateHz)
      expect(Math.abs(levelDb(output)), `${frequency} Hz`).toBeLessThan(0.1)
      expect(residueDb(output, frequency), `${frequency} Hz`).toBeLessThan(-60)
    }
  })
})

test('a tone of the band comes out clean: nothing else is louder than -60 dB', () => {
  for (const rateHz of [48_000, 44_100]) {
    expect(residueDb(resample(tone(1_234, rateHz), rateHz), 1_234)).toBeLessThan(-60)
  }
})

test('odd rates, whose positions share tables, are clean as well', () => {
  for (const rateHz of [47_999, 44_099, 22_051, 8_001]) {
    const [low, high] = [1_234, Math.min(7_100, rateHz * 0.44)]
    for (const frequency of [low, high])
      expect(residueDb(resample(tone(frequency, rateHz), rateHz), frequency), `${rateHz} Hz`).toBeLessThan(
        -60,
      )
  }
})

test('a filter takes bounded memory, whatever rate a file claims', () => {
  for (const rateHz of [767_999, 191_999, 47_999, 8_001]) {
    let reserved = 0
    new PolyphaseFilter(rateHz, TARGET_HZ, length => {
      reserved = length
      return { floats: new Float32Array(length), multiply: () => 0 }
    })
    expect(reserved * Float32Array.BYTES_PER_ELEMENT, `${rateHz} Hz`).toBeLessThan(40 * 2 ** 20)
  }
})

test('the output does not depend on how the input was cut', () => {
  const signal = Float32Array.from({ length: 3_000 }, (_, n) => Math.sin(n * n * 1e-4))
  fc.assert(
    fc.property(
      fc.constantFrom(96_000, 48_000, 44_100, 8_000, 37_123),
      fc.array(fc.nat(700), { maxLength: 12 }),
      (rateHz, pieces) => {
        expect(resample(signal, rateHz, pieces)).toEqual(resample(signal, rateHz))
      },
    ),
    { numRuns: 40 },
  )
})

test('it gives a sample for each that begins before the end of the input, however many there are', () => {
  fc.assert(
    fc.property(fc.constantFrom(96_000, 48_000, 44_100, 24_000, 8_000), fc.nat(10_000), (rateHz, length) => {
      const output = resample(new Float32Array(length).fill(0.5), rateHz)
      expect(output.length).toBe(Math.ceil((length * TARGET_HZ) / rateHz))
    }),
    { numRuns: 60 },
  )
})

test('it can be used again after the end, and nothing of the first signal is left', () => {
  for (const rateHz of [96_000, 48_000, 44_100, 8_000]) {
    const resampler = createResampler(rateHz)
    const signal = tone(300, rateHz, 0.1)
    const once = () => [...resampler.push(signal), ...resampler.flush()]
    expect(once()).toEqual(once())
  }
})

test('it lasts as long as the input and stands where it stood: no delay, no sample too few', () => {
  for (const rateHz of [48_000, 44_100, 8_000, 96_000]) {
    const output = resample(tone(400, rateHz, 1), rateHz)
    expect(output.length).toBe(TARGET_HZ)
    const ideal = tone(400, TARGET_HZ, 1)
    for (let n = 2_000; n < 14_000; n += 97) expect(Math.abs(output[n]! - ideal[n]!)).toBeLessThan(0.002)
  }
})

test('16 kHz passes unchanged, and an invalid rate is refused', () => {
  const samples = Float32Array.of(0.1, -0.2, 0.3)
  expect(resample(samples, 16_000)).toEqual(samples)
  expect(() => createResampler(0)).toThrow(RangeError)
  expect(() => createResampler(Number.NaN)).toThrow(RangeError)
})
