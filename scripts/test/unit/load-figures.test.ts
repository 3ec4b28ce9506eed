// How the load run counts: right words, latencies by each definition, growth of memory, and exponents.

import { describe, expect, it } from 'vitest'
import { latenciesOf, withWordEndsOf } from '../../../bench/dist/load/latency.js'
import { growthOf, type Sample } from '../../../bench/dist/load/watch.js'
import { compareWords, wordsOf } from '../../../bench/dist/load/words.js'
import { exponentOf, lineThrough } from '../../../bench/dist/measure/numbers.js'

describe('words', () => {
  it.each([
    ['a b c d', 'a b c d', 0, 4],
    ['a b c d', 'a x c d', 1, 3],
    ['a b c d', 'a c d', 1, 3],
    ['a b c d', 'a b new c d', 1, 4],
    ['a b', '', 2, 0],
    ['', 'a', 1, 0],
  ])('%j heard as %j: %i errors, %i right', (reference, heard, errors, right) => {
    const found = compareWords(wordsOf(reference), wordsOf(heard))
    expect([found.errors, found.matches.length]).toEqual([errors, right])
  })
})

describe('latencies', () => {
  const utterance = {
    beganAt: 1000,
    speechEndMs: 2000,
    flushedAt: 3200,
    reference: 'one two three four',
    wordEndsMs: [400, 900, 1500, 1990],
    events: [
      { at: 2150, type: 'delta', text: 'one tw', audioMs: 1120 },
      { at: 3260, type: 'delta', text: 'one two free', audioMs: 2240 },
      { at: 3300, type: 'final', text: 'one two free four', audioMs: 2200 },
    ],
  } as const

  it('are counted from where each definition counts', () => {
    const found = latenciesOf(utterance)
    expect(found).toMatchObject({
      flushToFinalMs: 100,
      firstDeltaMs: 1150,
      deltaBehindAudioMs: [30, 20],
      finalSegmentMs: 300,
      firstPartialMs: 60,
      firstFinalMs: 100,
    })
  })

  it('of words are those of right words, from the event after which the word does not change', () => {
    expect(latenciesOf(utterance).wordEmissionMs).toEqual([2150 - 1400, 3260 - 1900, 3300 - 2990])
  })
})

describe('a service that tells no times', () => {
  const said = { beganAt: 1000, speechEndMs: 2000, flushedAt: 3000, reference: 'one two three four' }
  const ours = {
    ...said,
    wordEndsMs: [400, 900, 1990],
    events: [{ at: 3300, type: 'final', text: 'one two four', audioMs: 2200 }],
  } as const
  const peers = {
    ...said,
    wordEndsMs: [],
    events: [
      { at: 2500, type: 'delta', text: 'well one', audioMs: undefined },
      { at: 3400, type: 'final', text: 'well one too three four', audioMs: undefined },
    ],
  } as const

  it('has the ends of the words that both have right, and no latencies of what it does not tell', () => {
    const found = latenciesOf(withWordEndsOf(ours, peers))
    expect(found.wordEmissionMs).toEqual([2500 - 1400, 3400 - 2990])
    expect(found.deltaBehindAudioMs).toEqual([])
    expect(found).toMatchObject({ flushToFinalMs: 400, firstDeltaMs: 1500 })
  })
})

describe('memory', () => {
  const sample = (seconds: number, frontMb: number): Sample => ({
    seconds,
    streams: 1,
    front: 0,
    engines: 0,
    others: 0,
    frontMb,
    enginesMb: 0,
  })
  const growthOver = (mb: (seconds: number) => number) =>
    growthOf(
      Array.from({ length: 40 }, (_, i) => sample(i * 60, mb(i * 60))),
      one => one.frontMb,
    )!

  it('is flat where only its beginning grows', () => {
    expect(growthOver(seconds => Math.min(300, 200 + seconds / 3))).toMatchObject({
      isFlat: true,
      mbPerHour: 0,
    })
  })

  it('is not flat where it leaks', () => {
    const { isFlat, mbPerHour } = growthOver(seconds => 300 + seconds / 36)
    expect(isFlat).toBe(false)
    expect(mbPerHour).toBeCloseTo(100)
  })

  it('is flat where decoders are seen now and then, more often at the end', () => {
    const isDecoding = (seconds: number) => seconds > 1_800 && seconds % 180 === 0
    expect(growthOver(seconds => (isDecoding(seconds) ? 180 : 120))).toMatchObject({
      isFlat: true,
      mbPerHour: 0,
    })
  })

  it('has no verdict after a minute', () => {
    const samples = Array.from({ length: 60 }, (_, i) => sample(i, 300 + i))
    expect(growthOf(samples, one => one.frontMb)).toMatchObject({ isFlat: null })
  })

  it('has no verdict without samples', () => {
    expect(growthOf([sample(1, 1)], one => one.frontMb)).toBeUndefined()
  })
})

describe('growth', () => {
  const sizes = [10, 100, 1000]

  it('is the exponent of the size', () => {
    expect(exponentOf(sizes.map(x => [x, 7] as const))).toBeCloseTo(0)
    expect(exponentOf(sizes.map(x => [x, 3 * x] as const))).toBeCloseTo(1)
    expect(exponentOf(sizes.map(x => [x, x * x] as const))).toBeCloseTo(2)
    expect(
      exponentOf([
        [10, 0],
        [100, 5],
      ]),
    ).toBeUndefined()
  })

  it('is a line through the figures', () => {
    expect(lineThrough(sizes.map(x => [x, 5 + 2 * x] as const))).toEqual({ slope: 2, intercept: 5 })
  })
})
