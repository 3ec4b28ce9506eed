import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fifo } from '#server/stream/socket/fifo.js'

/** Everything that is taken out when so many are put in and so many taken, with the length in between. */
function play(queue: { push(n: number): void; shift(): number | undefined; length: number }, put: number[]) {
  let next = 0
  return put.flatMap(count => {
    for (let n = 0; n < count; n++) queue.push(next++)
    const taken = Array.from({ length: Math.ceil(count / 2) }, () => queue.shift())
    return [...taken, queue.length]
  })
}

describe('a queue', () => {
  it('gives back what was put in, in its order, and knows how much is left', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1_500 }), { maxLength: 8 }), put => {
        expect(play(new Fifo<number>(), put)).toEqual(play([], put))
      }),
      { numRuns: 20 },
    )
    expect(play(new Fifo<number>(), [3_000, 3_000])).toEqual(play([], [3_000, 3_000]))
  })

  it('is empty before and after, and shows what comes next', () => {
    const queue = new Fifo<string>()
    expect([queue.length, queue.peek(), queue.shift()]).toEqual([0, undefined, undefined])
    queue.push('a')
    queue.push('b')
    expect([queue.peek(), queue.shift(), queue.length, queue.peek()]).toEqual(['a', 'a', 1, 'b'])
    expect([queue.shift(), queue.length, queue.shift()]).toEqual(['b', 0, undefined])
  })
})
