// How the endpointing bench counts: what it calls speech, and which ends it calls right, wrong or missing.

import { describe, expect, it } from 'vitest'
import { partInterval, quantileInterval } from '../../../bench/dist/endpointing/confidence.js'
import { takeHalf } from '../../../bench/dist/endpointing/recordings.js'
import { makeScenes } from '../../../bench/dist/endpointing/scenes.js'
import { telephone } from '../../../bench/dist/endpointing/telephone.js'
import { findSpeech, isClean } from '../../../bench/dist/endpointing/truth.js'
import { judge } from '../../../bench/dist/endpointing/verdict.js'

const MS = 16

function sound(...parts: readonly (readonly [ms: number, level: number])[]): Float32Array {
  const lengths = parts.map(([ms]) => ms * MS)
  const whole = new Float32Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const [i, [, level]] of parts.entries()) {
    for (let n = 0; n < lengths[i]!; n++) whole[at + n] = n % 2 === 0 ? level : -level
    at += lengths[i]!
  }
  return whole
}

describe('speech in a recording', () => {
  it('is what is loud; gaps as short as a consonant belong to it, clicks do not', () => {
    const recording = sound([500, 5], [800, 4_000], [200, 5], [900, 4_000], [600, 5], [40, 4_000], [600, 5])
    expect(findSpeech(recording)).toEqual([{ startMs: 500, endMs: 2_400 }])
  })

  it('is separated by pauses', () => {
    const recording = sound([500, 5], [800, 4_000], [400, 5], [900, 4_000], [600, 5])
    expect(findSpeech(recording)).toEqual([
      { startMs: 500, endMs: 1_300 },
      { startMs: 1_700, endMs: 2_600 },
    ])
  })
})

describe('a recording', () => {
  it('is left out where its own noise hides where its speech ends', () => {
    expect(isClean(sound([500, 5], [800, 4_000]))).toBe(true)
    expect(isClean(sound([500, 400], [800, 4_000]))).toBe(false)
  })
})

describe('ends of utterances', () => {
  /** A short pause, a long one, and the end. */
  const speech = [
    { startMs: 1_000, endMs: 3_000 },
    { startMs: 3_400, endMs: 5_000 },
    { startMs: 7_000, endMs: 8_000 },
  ]
  const end = (decidedMs: number) => ({ decidedMs, finalMs: decidedMs + 30, text: '' })
  const judged = (...ends: number[]) => judge(speech, 11_000, ends.map(end), 700)

  it('are right in long pauses, and their delay counts from the end of speech', () => {
    expect(judged(5_750, 8_760)).toEqual({
      insideWords: 0,
      inShortPauses: 0,
      longPauses: 2,
      missed: 0,
      delaysMs: [780, 790],
    })
  })

  it('are wrong in words and in short pauses, and missing where none is', () => {
    expect(judged(2_000, 3_380, 8_760)).toMatchObject({ insideWords: 1, inShortPauses: 1, missed: 1 })
  })
})

describe('halves of the recordings', () => {
  const all = ['2-b', '1-a', '1-b', '3-a', '4-a']
  const sourceOf = (name: string) => name[0]!

  it('have nothing in common, not even a source, and together are all', () => {
    expect(takeHalf(all, 'choose', sourceOf)).toEqual(['1-a', '1-b', '3-a'])
    expect(takeHalf(all, 'report', sourceOf)).toEqual(['2-b', '4-a'])
    expect(takeHalf(all, undefined, sourceOf)).toEqual(all)
  })
})

describe('scenes', () => {
  it('hear the noise from different places, the same ones in every run', () => {
    const recording = sound([500, 5], [800, 4_000], [500, 5])
    const places = () => makeScenes([recording], 30).map(({ noiseFrom }) => noiseFrom)
    expect(new Set(places()).size).toBe(3)
    expect(places()).toEqual(places())
  })
})

describe('intervals', () => {
  it('of a part say how little a small sample tells', () => {
    const written = ({ low, high }: { low: number; high: number }) => [low, high].map(part => part.toFixed(3))
    expect(written(partInterval(0, 100))).toEqual(['0.000', '0.037'])
    expect(written(partInterval(3, 144))).toEqual(['0.007', '0.059'])
    expect(partInterval(0, 0)).toEqual({ low: 0, high: 1 })
  })

  it('of a quantile are values around it', () => {
    const values = Array.from({ length: 1_000 }, (_, i) => i)
    expect(quantileInterval(values, 0.5)).toEqual({ low: 469, high: 530 })
    expect(quantileInterval(values, 0.99)).toEqual({ low: 983, high: 996 })
  })
})

describe('the telephone', () => {
  const tone = (hz: number) =>
    Float32Array.from({ length: 16_000 }, (_, i) => 8_000 * Math.sin((2 * Math.PI * hz * i) / 16_000))

  /** How loud a tone is in the sound, in dB below 8,000; the beginning, where the filters start, does not count. */
  function below(sound: Float32Array, hz: number): number {
    let [real, imaginary] = [0, 0]
    for (let i = 1_600; i < 14_400; i++) {
      real += sound[i]! * Math.cos((2 * Math.PI * hz * i) / 16_000)
      imaginary += sound[i]! * Math.sin((2 * Math.PI * hz * i) / 16_000)
    }
    return -20 * Math.log10((2 * Math.hypot(real, imaginary)) / 12_800 / 8_000)
  }

  it('lets the tones of a voice through, and no others', () => {
    expect(telephone(tone(1_000)).length).toBe(16_000)
    expect(Math.abs(below(telephone(tone(1_000)), 1_000))).toBeLessThan(2)
    expect(below(telephone(tone(100)), 100)).toBeGreaterThan(15)
    expect(below(telephone(tone(6_000)), 6_000)).toBeGreaterThan(40)
  })

  it('makes no tones that were not there', () => {
    expect(below(telephone(tone(1_000)), 7_000)).toBeGreaterThan(40)
    expect(below(telephone(tone(6_000)), 2_000)).toBeGreaterThan(40)
  })
})
