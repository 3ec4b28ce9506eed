import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Tape } from '#cli/audio/tape.js'
import { readUtterance } from '#cli/audio/utterances.js'
import { makeSpeech } from '../support/sounds.ts'

const MS = 16
const SECOND = 1_000 * MS

async function* pieces(samples: Int16Array, length: number) {
  for (let start = 0; start < samples.length; start += length) yield samples.subarray(start, start + length)
}

interface Rules {
  readonly maxSamples: number
  readonly holdBackSamples: number
}

const file: Rules = { maxSamples: 60 * SECOND, holdBackSamples: 24 * SECOND }
const live: Rules = { maxSamples: 60 * SECOND, holdBackSamples: 0.3 * SECOND }

/** The ends of all utterances, and the audio that was given out. */
async function cutAll(samples: Int16Array, rules: Rules, pieceLength = 1_600) {
  const tape = new Tape(pieces(samples, pieceLength))
  const [ends, audio]: [number[], number[]] = [[], []]
  for (let start = 0, isLast = false; !isLast; ) {
    const utterance = readUtterance(tape, start, rules)
    let step = await utterance.next()
    for (; !step.done; step = await utterance.next()) for (const sample of step.value) audio.push(sample)
    ;({ end: start, isLast } = step.value)
    ends.push(start)
    tape.forget(start)
  }
  return { ends, audio: Int16Array.from(audio) }
}

/** Words of 300 to 500 ms with gaps of 60 ms, in sentences of about 6 s with the given pause after each. */
function makeSentences(count: number, pauseMs: number): number[] {
  const sentence = Array.from({ length: 14 }, (_, n) => [300 + (n % 3) * 100, -60]).flat()
  return Array.from({ length: count }, () => [...sentence.slice(0, -1), -pauseMs]).flat()
}

/** The parts between bursts, in samples. */
function silences(partsMs: readonly number[]): [number, number][] {
  let position = 0
  return partsMs.flatMap(ms => {
    const start = position
    position += Math.abs(ms) * MS
    return ms < 0 ? [[start, position] as [number, number]] : []
  })
}

describe.each([
  ['a file', file],
  ['live speech', live],
])('cuts of %s', (_, rules) => {
  test.each([
    ['in silence', 0],
    ['beside a road', 600],
  ])('fall into pauses, %s', async (_, noise) => {
    const parts = makeSentences(12, 700)
    const { ends } = await cutAll(makeSpeech(parts, noise), rules)
    expect(ends.length).toBeGreaterThan(3)
    const quiet = silences(parts).filter(([start, end]) => end - start > 500 * MS)
    for (const end of ends.slice(0, -1)) {
      expect(
        quiet.some(([from, to]) => end > from + 20 * MS && end < to - 20 * MS),
        `${end / SECOND}`,
      ).toBe(true)
    }
  })

  test('come after a short pause where there is no longer one', async () => {
    const parts = makeSentences(14, 220)
    const { ends } = await cutAll(makeSpeech(parts), rules)
    const quiet = silences(parts).filter(([start, end]) => end - start > 200 * MS)
    for (const end of ends.slice(0, -1))
      expect(quiet.some(([from, to]) => end >= from && end <= to)).toBe(true)
    expect(ends.length).toBeGreaterThan(1)
  })
})

test('a file without any pause is cut at its quietest place before the limit', async () => {
  const parts = [...makeSentences(12, 60)]
  const rules = { ...file, maxSamples: 30 * SECOND }
  const { ends } = await cutAll(makeSpeech(parts), rules)
  for (const end of ends.slice(0, -1)) {
    expect(silences(parts).some(([from, to]) => end >= from - 20 * MS && end <= to + 20 * MS)).toBe(true)
  }
})

test('whatever the sound and the limits: all audio leaves once, in order, and no utterance is too long', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: -900, max: 900 }), { maxLength: 16 }),
      fc.integer({ min: 1, max: 4_000 }),
      fc.integer({ min: 500, max: 6_000 }),
      fc.integer({ min: 0, max: 5_000 }),
      async (parts, pieceLength, maxMs, holdBackMs) => {
        const samples = makeSpeech(parts, 30)
        const rules = { maxSamples: maxMs * MS, holdBackSamples: holdBackMs * MS }
        const { ends, audio } = await cutAll(samples, rules, pieceLength)
        expect(audio).toEqual(samples)
        const longest = Math.max(...ends.map((end, index) => end - (ends[index - 1] ?? 0)))
        expect(longest).toBeLessThanOrEqual(rules.maxSamples)
      },
    ),
    { numRuns: 40 },
  )
})

test('a tape goes back to where it was not yet forgotten', async () => {
  const tape = new Tape(
    pieces(
      Int16Array.from({ length: 100 }, (_, n) => n),
      7,
    ),
  )
  expect(await tape.fill(50)).toBeGreaterThanOrEqual(50)
  tape.forget(40)
  expect([...tape.slice(40, 43)]).toEqual([40, 41, 42])
  expect(() => tape.slice(39, 43)).toThrow(RangeError)
  expect(await tape.fill(1_000)).toBe(100)
  expect([...tape.slice(98, 1_000)]).toEqual([98, 99])
})
