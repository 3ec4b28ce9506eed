import { chunkSamples, LOOK_AHEADS, type LookAhead } from '@sauti/protocol/audio'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Recogniser } from '#server/recogniser/port.js'
import { readUntil } from '../../../support/recogniser/event-reader.ts'
import { OneShot, type SaidPiece } from '../../../support/recogniser/one-shot.ts'
import { finalOf, KIKUYU, openTiny } from '../../../support/recogniser/open-tiny.ts'
import { babble } from '../../../support/recogniser/test-audio.ts'
import { TINY_MODEL } from '../../../support/recogniser/tiny-models.ts'

let recogniser: Recogniser
let oneShot: OneShot
beforeAll(async () => {
  oneShot = await OneShot.open(TINY_MODEL)
  recogniser = await openTiny()
})
afterAll(() => recogniser.close())

/** Sends the audio in frames of the sizes given, again and again, and flushes. */
async function stream(audio: Int16Array, lookAhead: LookAhead, sizes: readonly number[]) {
  const open = await recogniser.open(KIKUYU, { lookAhead, phrases: [] })
  for (let at = 0, i = 0; at < audio.length; at += sizes[i++ % sizes.length]!) {
    open.push(audio.slice(at, at + sizes[i % sizes.length]!))
  }
  const result = await finalOf(open)
  open.close()
  return result
}

const textOf = (said: readonly SaidPiece[]) =>
  said
    .map(({ piece }) => piece)
    .join('')
    .replaceAll('▁', ' ')
    .trim()

/** Where the plain decoder puts the words' first pieces. */
const wordStarts = (said: readonly SaidPiece[], endMs: number) =>
  said
    .filter(({ piece }, i) => i === 0 || piece.startsWith('▁'))
    .map(({ frame }) => Math.min(frame * 80, endMs))

describe('chunked streaming', () => {
  it.each(LOOK_AHEADS)(
    'equals one-shot decoding, whatever the frame sizes: look-ahead %i',
    async lookAhead => {
      const length = fc.integer({ min: 1, max: 4 * 17_920 })
      const sizes = fc.array(
        fc.oneof(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1, max: 32_768 })),
        {
          minLength: 1,
          maxLength: 5,
        },
      )
      const runs = fc.asyncProperty(length, fc.nat(1000), sizes, async (samples, seed, cut) => {
        const audio = babble(samples, seed)
        const said = await oneShot.decode(audio, lookAhead)
        const { final } = await stream(audio, lookAhead, cut)
        expect(final.text).toBe(textOf(said))
        expect(final.words.map(word => word.start_ms)).toEqual(wordStarts(said, final.audioMs))
      })
      await fc.assert(runs, { numRuns: 12 })
    },
  )

  it('appends: the deltas put together are the beginning of the final', async () => {
    const { final, deltas } = await stream(babble(6 * 17_920 + 5000), 0, [320])
    expect(final.text.startsWith(deltas.map(delta => delta.append).join(''))).toBe(true)
    for (const [i, delta] of deltas.entries()) {
      expect(delta.text).toBe((deltas[i - 1]?.text ?? '') + delta.append)
    }
  })

  it('is never a step late: a chunk is heard as soon as its last sample is there', async () => {
    const open = await recogniser.open(KIKUYU, { lookAhead: 13, phrases: [] })
    open.push(babble(chunkSamples(13)))
    await readUntil(open, event => event.type === 'progress')
    expect(open.queuedSamples).toBe(0)
    open.close()
  })

  it('begins every utterance afresh, while time goes on', async () => {
    const open = await recogniser.open(KIKUYU, { lookAhead: 6, phrases: [] })
    const audio = babble(30_000)
    open.push(audio.slice())
    const { final: first } = await finalOf(open)
    open.push(audio.slice())
    const { final: second } = await finalOf(open)
    open.close()
    expect(second.text).toBe(first.text)
    expect(first.audioMs).toBe(1875)
    expect(second.audioMs).toBe(3750)
    expect(second.words.map(word => word.start_ms)).toEqual(first.words.map(word => word.start_ms + 1875))
  })
})
