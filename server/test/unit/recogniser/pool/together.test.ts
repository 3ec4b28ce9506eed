import { describe, expect, it } from 'vitest'
import { type Chunk, nextStreams, type Scheduled } from '#server/recogniser/pool/schedule.js'

const network = { name: 'one' }
const chunk: Chunk = { network, samples: 17_920, mostTogether: 4 }
const stream = (deadlineMs: number, nextChunk: Chunk | undefined = chunk): Scheduled => ({
  deadlineMs,
  nextChunk,
})
const flush = (deadlineMs: number): Scheduled => ({ deadlineMs, nextChunk: undefined })

describe('what is done next', () => {
  it('is nothing where nothing waits', () => {
    expect(nextStreams([])).toEqual([])
    expect(nextStreams([flush(Number.POSITIVE_INFINITY)])).toEqual([])
  })

  it('is the chunks of the most urgent streams together, the most urgent first', () => {
    const [a, b, c, d, e] = [360, 100, 200, 150, 300].map(deadline => stream(deadline))
    expect(nextStreams([a!, b!, c!, d!, e!])).toEqual([b, d, c, e])
  })

  it('is a flush alone, before and behind chunks', () => {
    const first = flush(50)
    expect(nextStreams([stream(100), first, stream(200)])).toEqual([first])
    const chunks = [stream(100), stream(200)]
    expect(nextStreams([chunks[0]!, flush(150), chunks[1]!])).toEqual(chunks)
  })

  it.each([
    ['of another network', stream(200, { ...chunk, network: { name: 'two' } })],
    ['of another length', stream(200, { ...chunk, samples: 1280 })],
    ['that is less urgent by more than 300 ms', stream(401)],
  ])('is a chunk without one %s', (_, other) => {
    const first = stream(100)
    expect(nextStreams([other, first])).toEqual([first])
  })

  it('is one chunk where the network takes no more', () => {
    const alone = { ...chunk, mostTogether: 1 }
    const first = stream(100, alone)
    expect(nextStreams([stream(200, alone), first])).toEqual([first])
  })
})
