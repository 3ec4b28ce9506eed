// Files beside live speech, counted in answers and not in milliseconds, so that it holds on a busy machine.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Recogniser, RecogniserStream } from '#server/recogniser/port.js'
import { finalOf, KIKUYU, openTiny } from '../../../support/recogniser/open-tiny.ts'
import { babble } from '../../../support/recogniser/test-audio.ts'

const SETTINGS = { lookAhead: 13, phrases: [] } as const
const CHUNK = 17_920

let recogniser: Recogniser
beforeAll(async () => {
  recogniser = await openTiny()
})
afterAll(() => recogniser.close())

/** Counts the chunks that were heard of a stream. */
function countChunks(stream: RecogniserStream): () => number {
  let chunks = 0
  stream.listen({
    onEvent: ({ type }) => {
      if (type === 'progress') chunks += 1
    },
    onLost: error => {
      throw error
    },
  })
  return () => chunks
}

it('while live streams wait, a background stream does not get a turn', async () => {
  const file = await recogniser.open(KIKUYU, SETTINGS, undefined, 'background')
  const heard = countChunks(file)
  const live = await Promise.all(Array.from({ length: 3 }, () => recogniser.open(KIKUYU, SETTINGS)))
  file.push(babble(CHUNK * 200))
  for (let round = 0; round < 5; round++) {
    const before = heard()
    const finals = live.map(stream => {
      stream.push(babble(CHUNK * 3, round))
      return finalOf(stream)
    })
    await Promise.all(finals)
    // One may have been under way, and on a busy machine some get in while the messages of live streams are on their way. Alone, the file
    // would be heard whole meanwhile.
    expect(heard() - before).toBeLessThanOrEqual(10)
  }
  for (const stream of live) stream.close()
  await finalOf(file)
  file.close()
}, 120_000)

it('takes no slot: what can be taken on is the same with it', async () => {
  const before = recogniser.capacity - recogniser.openStreams
  const file = await recogniser.open(KIKUYU, SETTINGS, undefined, 'background')
  expect(recogniser.capacity - recogniser.openStreams).toBeGreaterThanOrEqual(before)
  file.close()
})

it('does not count where the operator has limited the streams', async () => {
  const limited = await openTiny({ maxStreams: 1 })
  const files = [1, 2].map(() => limited.open(KIKUYU, SETTINGS, undefined, 'background'))
  await Promise.all(files)
  expect(limited.capacity - limited.openStreams).toBe(1)
  const live = await limited.open(KIKUYU, SETTINGS)
  expect(limited.capacity - limited.openStreams).toBe(0)
  live.close()
  await limited.close()
})
