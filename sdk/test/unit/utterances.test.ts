import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Tape } from '#sdk/continuous/tape.js'
import { readUtterance } from '#sdk/continuous/utterances.js'
import { makeSpeech } from '../support/sounds.ts'

const MS = 16
const SECOND = 1_000 * MS

/** A tape that was written in pieces of this length, to its end. */
function record(samples: Int16Array, pieceLength: number): Tape {
  const tape = new Tape()
  for (let start = 0; start < samples.length; start += pieceLength)
    void tape.write(samples.subarray(start, start + pieceLength))
  tape.close()
  return tape
}

interface Rules {
  readonly maxSamples: number
  readonly holdBackSamples: number
}

const file: Rules = { maxSamples: 60 * SECOND, holdBackSamples: 24 * SECOND }
const live: Rules = { maxSamples: 60 * SECOND, holdBackSamples: 0.3 * SECOND }

/** The ends of all utterances, and the audio that was given out. */
async function cutAll(samples: Int16Array, rules: Rules, pieceLength = 1_600) {
  const tape = record(samples, pieceLength)
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

test('whatever the sound and the limits: all audio is sent once, in order, and no utterance is too long', async () => {
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
    { numRuns: 15 },
  )
})

test('an utterance that is read again ends at the same place, however much is known by then', async () => {
  const samples = makeSpeech(makeSentences(12, 500), 100)
  const { ends } = await cutAll(samples, live)
  for (const pieceLength of [333, 16_000])
    expect((await cutAll(samples, live, pieceLength)).ends).toEqual(ends)
})

test('with endpointing, an utterance ends after silence behind speech, and silence alone ends none', async () => {
  const parts = [900, -60, 800, -900, 700, -80, 600, -2_500]
  const { ends } = await cutAll(makeSpeech(parts), { ...live, silenceMs: 500 } as Rules)
  const [first, second] = [900 + 60 + 800, 900 + 60 + 800 + 900 + 700 + 80 + 600]
  expect(ends.length).toBe(3)
  expect(ends[0]! / MS).toBeGreaterThan(first)
  expect(ends[0]! / MS).toBeLessThan(first + 500)
  expect(ends[1]! / MS).toBeGreaterThan(second)
  expect(ends[1]! / MS).toBeLessThan(second + 500)
})

test('a mark ends the utterance there, before any pause', async () => {
  const samples = makeSpeech(makeSentences(4, 60))
  const tape = new Tape()
  const utterance = readUtterance(tape, 0, live)
  void tape.write(samples.subarray(0, 2 * SECOND))
  const sent = await utterance.next()
  expect(sent.done).toBe(false)
  const rest = (async () => {
    let step = await utterance.next()
    while (!step.done) step = await utterance.next()
    return step.value
  })()
  tape.mark()
  expect(await rest).toEqual({ end: 2 * SECOND, isLast: false })
})

test('a tape goes back to where it was not yet forgotten', async () => {
  const tape = record(
    Int16Array.from({ length: 100 }, (_, n) => n),
    7,
  )
  expect(await tape.fill(50)).toBe(100)
  tape.forget(40)
  expect([...tape.slice(40, 43)]).toEqual([40, 41, 42])
  expect(() => tape.slice(39, 43)).toThrow(RangeError)
  expect(await tape.fill(1_000)).toBe(100)
  expect([...tape.slice(98, 1_000)]).toEqual([98, 99])
})

test('a writer far ahead of the reader waits for it', async () => {
  const tape = new Tape()
  const order: string[] = []
  const written = tape.write(new Int16Array(40 * SECOND)).then(() => order.push('written'))
  order.push('reading')
  await tape.fill(20 * SECOND)
  await written
  expect(order).toEqual(['reading', 'written'])
})
