import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  billableMs,
  chunkSamples,
  ENCODING,
  LOOK_AHEADS,
  SAMPLE_RATE_HZ,
  samplesToMs,
} from '#protocol/audio.js'

describe('audio arithmetic', () => {
  it('is about PCM16 in the order of bytes that every supported machine has', () => {
    expect(ENCODING).toBe('pcm_s16le')
  })

  it('makes a chunk of 1.12 s with the default look-ahead, and less with a smaller one', () => {
    expect(LOOK_AHEADS.map(chunkSamples)).toEqual([17_920, 8_960, 5_120, 1_280])
  })

  it.each([
    [0, 0],
    [1, 1000],
    [SAMPLE_RATE_HZ - 1, 1000],
    [SAMPLE_RATE_HZ, 1000],
    [SAMPLE_RATE_HZ + 1, 2000],
    [300 * SAMPLE_RATE_HZ, 300_000],
  ])('bills %i samples as %i ms', (samples, expected) => {
    expect(billableMs(samples)).toBe(expected)
  })

  it('never bills less than what was accepted, and always less than a second more', () => {
    fc.assert(
      fc.property(fc.nat({ max: 300 * SAMPLE_RATE_HZ }), samples => {
        const exactMs = (samples / SAMPLE_RATE_HZ) * 1000
        expect(billableMs(samples)).toBeGreaterThanOrEqual(exactMs)
        expect(billableMs(samples)).toBeLessThan(exactMs + 1000)
        expect(billableMs(samples)).toBeGreaterThanOrEqual(samplesToMs(samples))
      }),
    )
  })
})
