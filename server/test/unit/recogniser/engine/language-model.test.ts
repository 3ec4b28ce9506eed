import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLanguageModel } from '#server/recogniser/engine/search/language-model.js'
import { BUNDLED_MODELS } from '../../../support/recogniser/bundled.ts'
import {
  openWritten,
  type WrittenLanguage,
  writeLanguageModel,
} from '../../../support/recogniser/written-language.ts'

/** Three pieces; after 0 mostly 1, after 0 1 mostly 2. */
const LANGUAGE: WrittenLanguage = {
  vocabularySize: 3,
  weights: [1, 0, 0],
  levels: [
    [{ context: [], next: { 0: 0.5 }, rest: 0.75 }],
    [{ context: [0], next: { 1: 0.8 }, rest: 0.2 }],
    [{ context: [0, 1], next: { 2: 0.9 }, rest: 0.1 }],
  ],
}
const probabilities = (gains: Float32Array) => [...gains].map(gain => Number(Math.exp(gain).toFixed(2)))

describe('a language model', () => {
  it('takes what the longest known context says, and leaves the rest to shorter ones', () => {
    const model = openWritten(LANGUAGE)
    expect(probabilities(model.gains([]))).toEqual([0.51, 0.25, 0.25])
    expect(probabilities(model.gains([0]))).toEqual([0.1, 0.78, 0.05])
    expect(probabilities(model.gains([0, 1]))).toEqual([0.05, 0.02, 0.92])
    expect(model.gains([1, 2])).toEqual(model.gains([]))
    expect(model.gains([2, 0])).toEqual(model.gains([0]))
  })

  it('remembers as many pieces as its contexts have, from the beginning on', () => {
    const model = openWritten(LANGUAGE)
    expect(model.start).toEqual([3])
    expect(model.step(model.start, 0)).toEqual([3, 0])
    expect(model.step([3, 0], 1)).toEqual([0, 1])
  })

  it('scales its scores, favours a piece over silence, and says how much the search is to take off', () => {
    const model = openWritten({ ...LANGUAGE, weights: [0.4, 0.2, 0.3] })
    const plain = openWritten(LANGUAGE).gains([0, 1])
    model.gains([0, 1]).forEach((gain, i) => {
      expect(gain).toBeCloseTo(0.4 * plain[i]! + 0.3, 5)
    })
    expect(model.networkWeight).toBeCloseTo(0.2, 5)
  })

  it('in its first format takes off the scores of two pieces alone', () => {
    const model = openWritten({ ...LANGUAGE, format: 'first', weights: [0.4, 0.2, 0.3] })
    expect(model.networkWeight).toBe(0)
    const [plain, own] = [openWritten(LANGUAGE).gains([0, 1]), openWritten(LANGUAGE).gains([1])]
    model.gains([0, 1]).forEach((gain, i) => {
      expect(gain).toBeCloseTo(0.4 * plain[i]! - 0.2 * own[i]! + 0.3, 5)
    })
  })

  it.each([
    ['another kind of file', (file: Buffer) => file.fill(0, 0, 4), 'it is no language model'],
    ['a truncated one', (file: Buffer) => file.subarray(0, -4), 'it is shorter than its levels'],
    [
      'a longer one',
      (file: Buffer) => Buffer.concat([file, Buffer.alloc(4)]),
      'it is longer than its levels',
    ],
    ['an order out of range', (file: Buffer) => patched(file, 8, 9), 'its order must be 2 to 5, not 9'],
    [
      'a piece too many',
      (file: Buffer) => patched(file, 12, 1),
      'it has a piece that the vocabulary has not',
    ],
  ])('is refused when it is %s', (_, damage, problem) => {
    expect(() => parseLanguageModel(damage(writeLanguageModel(LANGUAGE)))).toThrow(problem)
  })

  it('never crashes in another way on a damaged file', () => {
    const whole = writeLanguageModel(LANGUAGE)
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const damaged = Buffer.from(whole)
        damaged[at] = value
        try {
          parseLanguageModel(damaged).gains([0, 1])
        } catch (error) {
          expect((error as Error).message).toMatch(/^it(s)? /)
        }
      }),
    )
  })

  it.each(['kikuyu', 'dholuo'])('of %s sums to one after any pieces', language => {
    const model = parseLanguageModel(
      readFileSync(`${BUNDLED_MODELS}/svc-asr-${language}-v1/language-model.bin`),
    )
    const pieces = fc.array(fc.nat(model.vocabularySize - 1), { maxLength: 6 })
    fc.assert(
      fc.property(pieces, said => {
        const context = said.reduce((before, piece) => model.step(before, piece), model.start)
        const total = model.probabilities(context).reduce((sum, p) => sum + p, 0)
        expect(total).toBeGreaterThan(0.9)
        expect(total).toBeLessThan(1.1)
      }),
      { numRuns: 200 },
    )
  })
})

function patched(file: Buffer, at: number, value: number): Buffer {
  file.writeUInt32LE(value, at)
  return file
}
