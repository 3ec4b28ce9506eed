import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LogMel, newFeatureState } from '#server/recogniser/engine/features/features.js'
import { logarithm } from '#server/recogniser/engine/features/logarithm.js'

interface Golden {
  mel_bins: number
  frames: number
  pcm: number[]
  log_mel: number[][]
}

function golden(bins: number): Golden {
  return JSON.parse(readFileSync(new URL(`../../../fixtures/features-${bins}.json`, import.meta.url), 'utf8'))
}

/** Largest difference between [bins, frames] values and the reference's [frame][bin]. */
function largestDifference(values: Float32Array, reference: Golden): number {
  let largest = 0
  reference.log_mel.forEach((row, frame) => {
    row.forEach((expected, bin) => {
      largest = Math.max(largest, Math.abs(values[bin * reference.frames + frame]! - expected))
    })
  })
  return largest
}

describe.each([80, 128])('log-mel features with %i bins', bins => {
  const reference = golden(bins)
  const pcm = Int16Array.from(reference.pcm)

  it('equal the training reference within 1e-3', () => {
    const logMel = new LogMel({ mel_bins: bins }, pcm.length)
    const out = new Float32Array(bins * reference.frames)
    logMel.write(newFeatureState(), pcm, reference.frames, out, reference.frames, 0)
    expect(largestDifference(out, reference)).toBeLessThan(1e-3)
  })

  it.each([160, 320, 1280, 2080])('are the same when the audio comes in pieces of %i samples', size => {
    const logMel = new LogMel({ mel_bins: bins }, size)
    const state = newFeatureState()
    const out = new Float32Array(bins * reference.frames)
    for (let start = 0; start < pcm.length; start += size) {
      const samples = pcm.subarray(start, start + size)
      logMel.write(state, samples, samples.length / 160, out, reference.frames, start / 160)
    }
    expect(largestDifference(out, reference)).toBeLessThan(1e-3)
  })

  it('do not depend on what another stream said before', () => {
    const logMel = new LogMel({ mel_bins: bins }, pcm.length)
    const out = new Float32Array(bins * reference.frames)
    for (const state of [newFeatureState(), newFeatureState()])
      logMel.write(state, pcm, reference.frames, out, reference.frames, 0)
    expect(largestDifference(out, reference)).toBeLessThan(1e-3)
  })

  it('take what is missing at the end as silence', () => {
    const logMel = new LogMel({ mel_bins: bins }, 1600)
    const cut = new Float32Array(bins * 10)
    logMel.write(newFeatureState(), pcm.subarray(0, 700), 10, cut, 10, 0)
    const padded = new Float32Array(bins * 10)
    const zeros = new Int16Array(1600)
    zeros.set(pcm.subarray(0, 700))
    logMel.write(newFeatureState(), zeros, 10, padded, 10, 0)
    expect(cut).toEqual(padded)
  })
})

it('the quick logarithm is the logarithm', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-30, max: 1e30, noNaN: true }), value => {
      expect(Math.abs(logarithm(value) - Math.log(Math.fround(value)))).toBeLessThan(1e-6)
    }),
  )
})
