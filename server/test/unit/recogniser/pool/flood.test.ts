// One stream sends as fast as it is answered; another must not notice. Counted in answers and not in milliseconds, so that it holds on
// a busy machine: an engine that prefers the flood answers hundreds of its requests before it comes to the neighbour.

import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Recogniser, RecogniserStream } from '#server/recogniser/port.js'
import { finalOf, KIKUYU, openTiny } from '../../../support/recogniser/open-tiny.ts'
import { babble } from '../../../support/recogniser/test-audio.ts'

const SETTINGS = { lookAhead: 13, phrases: [] } as const
const PHRASES = Array.from({ length: 100 }, (_, i) => `Wanjiku wa ${i} Kamau`)
const ONE_SAMPLE = new Int16Array(1)
/** As many answers as the service lets a client be owed. */
const OWED = 32
const ROUNDS = 20

let recogniser: Recogniser
beforeAll(async () => {
  recogniser = await openTiny()
})
afterAll(() => recogniser.close())

/** Keeps `OWED` requests waiting until it is closed. */
class Flood {
  answered = 0
  readonly #stream: RecogniserStream
  readonly #ask: (stream: RecogniserStream, i: number) => void
  #asked = 0

  constructor(stream: RecogniserStream, ask: (stream: RecogniserStream, i: number) => void) {
    this.#stream = stream
    this.#ask = ask
    stream.listen({
      onEvent: ({ type }) => {
        if (type === 'final' || type === 'reset' || type === 'configured') this.#next()
      },
      onLost: error => {
        throw error
      },
    })
    while (this.#asked < OWED) this.#ask(stream, this.#asked++)
  }

  #next(): void {
    this.answered++
    this.#ask(this.#stream, this.#asked++)
  }

  close(): void {
    this.#stream.close()
  }
}

const flushSample = (stream: RecogniserStream) => {
  stream.push(ONE_SAMPLE)
  stream.flush()
}
const configurePhrases = (stream: RecogniserStream, i: number) =>
  stream.configure({ lookAhead: 13, phrases: i % 2 === 0 ? PHRASES : PHRASES.slice(1) })
const resetSample = (stream: RecogniserStream) => {
  stream.push(ONE_SAMPLE)
  stream.reset()
}
const mixture = (stream: RecogniserStream, i: number) =>
  [flushSample, configurePhrases, resetSample, (s: RecogniserStream) => s.flush()][i % 4]!(stream, i)

describe('a neighbour', () => {
  it.each<[string, (stream: RecogniserStream, i: number) => void, number]>([
    ['settings that change nothing', stream => stream.configure(SETTINGS), 3 * OWED],
    ['settings with other phrases', configurePhrases, 3 * OWED],
    ['resets', stream => stream.reset(), 3 * OWED],
    ['resets of one sample', resetSample, 3 * OWED],
    ['flushes of nothing', stream => stream.flush(), OWED],
    ['flushes of one sample', flushSample, 8],
    ['a mixture of all', mixture, OWED],
  ])(
    'is served in its turn beside a flood of %s',
    async (_, ask, mostAnswers) => {
      const flood = new Flood(await recogniser.open(KIKUYU, SETTINGS), ask)
      const neighbour = await recogniser.open(KIKUYU, SETTINGS)
      const answersMeanwhile: number[] = []
      for (let i = 0; i < ROUNDS; i++) {
        await wait(100)
        neighbour.push(babble(1600, i))
        const before = flood.answered
        await finalOf(neighbour)
        answersMeanwhile.push(flood.answered - before)
      }
      flood.close()
      neighbour.close()
      expect(flood.answered).toBeGreaterThan(0)
      expect(answersMeanwhile.sort((a, b) => a - b)[ROUNDS - 2]).toBeLessThanOrEqual(mostAnswers)
    },
    60_000,
  )

  it('beside a flood is not the only one who is served', async () => {
    const flood = new Flood(await recogniser.open(KIKUYU, SETTINGS), flushSample)
    const neighbour = await recogniser.open(KIKUYU, SETTINGS)
    while (flood.answered < 2 * OWED) {
      neighbour.push(babble(20_000))
      await finalOf(neighbour)
    }
    flood.close()
    neighbour.close()
  }, 60_000)

  it('every request of a flood is answered, in order', async () => {
    const stream = await recogniser.open(KIKUYU, SETTINGS)
    const asked: string[] = []
    const answers: string[] = []
    const done = new Promise<void>((resolve, reject) => {
      stream.listen({
        onEvent({ type }) {
          if (type === 'final' || type === 'reset' || type === 'configured') answers.push(type)
          if (answers.length === 400) resolve()
        },
        onLost: reject,
      })
    })
    const kinds = ['configured', 'configured', 'final', 'reset', 'reset', 'configured', 'reset'] as const
    for (let i = 0; i < 400; i++) {
      const kind = kinds[(i * 5) % kinds.length]!
      asked.push(kind)
      if (kind === 'configured') configurePhrases(stream, i)
      else if (kind === 'final') flushSample(stream)
      else stream.reset()
    }
    await done
    expect(answers).toEqual(asked)
    expect(stream.queuedSamples).toBe(0)
    stream.close()
  }, 60_000)
})
