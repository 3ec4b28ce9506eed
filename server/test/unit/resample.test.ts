// The service's resampler does its multiplications in WebAssembly; it must give what the client's gives.

import { createResampler as createPlainResampler } from '@sauti/client/speech'
import { SAMPLE_RATES_HZ } from '@sauti/protocol/audio'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createResampler } from '#server/sound/resample.js'

const RATES_HZ = [...SAMPLE_RATES_HZ, 96_000, 37_123]
/** A tenth of what one step of 16 bits is. */
const ROUNDING = 0.1 / 32_768

function noise(length: number): Float32Array {
  let state = 1
  return Float32Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return (2 * state) / 2_147_483_647 - 1
  })
}

function convert(resampler: ReturnType<typeof createResampler>, signal: Float32Array): number[] {
  return [...resampler.push(signal), ...resampler.flush()]
}

it.each(RATES_HZ)('at %i Hz gives the same samples, up to rounding', rateHz => {
  const signal = noise(rateHz / 4)
  const [heard, expected] = [createResampler(rateHz), createPlainResampler(rateHz)].map(resampler =>
    convert(resampler, signal),
  ) as [number[], number[]]
  expect(heard.length).toBe(expected.length)
  expect(Math.max(...heard.map((sample, n) => Math.abs(sample - expected[n]!)))).toBeLessThan(ROUNDING)
})

it('two streams of one rate do not hear each other, however they are cut', () => {
  const signals = [noise(3_000), noise(6_000).subarray(3_000)]
  const expected = signals.map(signal => convert(createResampler(44_100), signal))
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(1), fc.nat(900)), { maxLength: 12 }), pieces => {
      const resamplers = signals.map(() => createResampler(44_100))
      const heard: number[][] = [[], []]
      const at = [0, 0]
      for (const [stream, length] of pieces) {
        const piece = signals[stream]!.subarray(at[stream]!, at[stream]! + length)
        heard[stream]!.push(...resamplers[stream]!.push(piece))
        at[stream]! += length
      }
      signals.forEach((signal, n) => {
        heard[n]!.push(...convert(resamplers[n]!, signal.subarray(Math.min(at[n]!, signal.length))))
      })
      expect(heard).toEqual(expected)
    }),
    { numRuns: 30 },
  )
})
