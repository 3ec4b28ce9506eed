import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LogMel, newFeatureState } from '#server/recogniser/engine/features/features.js'
import { SpeechLevel } from '#server/recogniser/engine/features/speech-level.js'

const WANTED_DB = -22
const SECOND = 16_000

/** A tone of this many decibels of full scale. */
function tone(decibels: number, samples = SECOND): Int16Array {
  const amplitude = 32_768 * Math.SQRT2 * 10 ** (decibels / 20)
  return Int16Array.from({ length: samples }, (_, i) => Math.round(amplitude * Math.sin(i / 5)))
}

function raisedDb(level: SpeechLevel, samples: Int16Array): number {
  return (level.raise(samples, WANTED_DB) * 10) / Math.LN10
}

describe('the level of speech', () => {
  it.each([
    [-22, 0],
    [-10, 0],
    [-32, 10],
    [-42, 20],
    [-50, 24],
    [-70, 0],
  ])('of %i dB is raised by %i dB', (decibels, expected) => {
    expect(raisedDb(new SpeechLevel(), tone(decibels))).toBeCloseTo(expected, 0)
  })

  it('follows louder speech at once and quieter speech slowly', () => {
    const level = new SpeechLevel()
    expect(raisedDb(level, tone(-42))).toBeCloseTo(20, 0)
    expect(raisedDb(level, tone(-26))).toBeCloseTo(4, 0)
    expect(raisedDb(level, tone(-42))).toBeCloseTo(5, 0)
    for (let second = 0; second < 10; second++) raisedDb(level, tone(-42))
    expect(raisedDb(level, tone(-42))).toBeCloseTo(16, 0)
  })

  it('is that of the words, not of the pauses between them', () => {
    const speech = Int16Array.of(...tone(-32, 4000), ...tone(-65, 12_000))
    expect(raisedDb(new SpeechLevel(), speech)).toBeCloseTo(10, 0)
  })

  it('does not take a click for speech', () => {
    const clicked = tone(-42)
    clicked.fill(30_000, 8000, 8040)
    expect(raisedDb(new SpeechLevel(), clicked)).toBeCloseTo(20, 0)
  })

  it('takes no notice of a constant offset', () => {
    const offset = tone(-42).map(sample => sample + 3000)
    expect(raisedDb(new SpeechLevel(), offset)).toBeCloseTo(20, 0)
  })

  it('stays while nothing is heard any more', () => {
    const level = new SpeechLevel()
    raisedDb(level, tone(-32))
    expect(raisedDb(level, new Int16Array(0))).toBeCloseTo(10, 0)
  })

  it('never lowers and never raises beyond its limit, whatever is heard', () => {
    const anyAudio = fc.array(fc.int16Array({ maxLength: 4000 }), { maxLength: 8 })
    fc.assert(
      fc.property(anyAudio, pieces => {
        const level = new SpeechLevel()
        for (const piece of pieces) {
          const raised = raisedDb(level, piece)
          expect(raised).toBeGreaterThanOrEqual(0)
          expect(raised).toBeLessThanOrEqual(24.001)
        }
      }),
    )
  })
})

describe('log-mel features of a network that names a level', () => {
  const frames = 100
  const write = (samples: Int16Array, speech_level_db?: number) => {
    const facts = { mel_bins: 80, ...(speech_level_db !== undefined && { speech_level_db }) }
    const out = new Float32Array(80 * frames)
    new LogMel(facts, frames * 160).write(newFeatureState(), samples, frames, out, frames, 0)
    return out
  }

  it('are nearly those of louder speech', () => {
    const quiet = write(tone(-42), WANTED_DB)
    const loud = write(tone(-22))
    const differences = quiet.map((value, i) => Math.abs(value - loud[i]!)).filter((_, i) => loud[i]! > -6)
    expect(differences.length).toBeGreaterThan(frames)
    expect(Math.max(...differences)).toBeLessThan(0.2)
  })

  it('are as they are for speech that is loud enough', () => {
    expect(write(tone(-15), WANTED_DB)).toEqual(write(tone(-15)))
  })
})
