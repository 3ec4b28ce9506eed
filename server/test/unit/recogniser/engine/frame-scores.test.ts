import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FrameScores, SaidInFrames } from '#server/recogniser/engine/search/frame-scores.js'

const BLANK = 3
const symbols = fc.array(fc.float({ min: -8, max: 0, noNaN: true }), {
  minLength: BLANK + 1,
  maxLength: BLANK + 1,
})

/** Frames, and pieces said at some of them, in order. */
function utterance(length: { minLength: number; maxLength: number }, pieces: number) {
  const piece = fc.tuple(fc.nat(BLANK - 1), fc.nat(length.minLength - 1))
  const said = fc.array(piece, { maxLength: pieces }).map(drawn => drawn.toSorted(([, a], [, b]) => a - b))
  return [fc.array(symbols, length), said] as const
}

/** The sum over every way to give each frame a symbol that says these pieces. */
function everyWay(frames: readonly (readonly number[])[], pieces: readonly number[]): number {
  const saying = (path: readonly number[]) =>
    path.filter((symbol, i) => symbol !== BLANK && symbol !== path[i - 1])
  const paths = frames.reduce<number[][]>(
    (all, row) => all.flatMap(path => row.map((_, symbol) => [...path, symbol])),
    [[]],
  )
  const likely = paths.filter(path => saying(path).join() === pieces.join())
  return Math.log(
    likely.reduce((sum, path) => sum + Math.exp(path.reduce((total, s, i) => total + frames[i]![s]!, 0)), 0),
  )
}

/** What the sequence is worth after the last frame; the pieces are said at these frames, the frames come in chunks of this length. */
function search(
  frames: readonly (readonly number[])[],
  said: readonly (readonly [number, number])[],
  chunk: number,
) {
  const scores = new FrameScores(BLANK)
  let sequence = SaidInFrames.nothing(scores, BLANK)
  let likelihood = 0
  for (let frame = 0; frame < frames.length; frame++) {
    if (frame % chunk === 0) {
      const rows = frames.slice(frame, frame + chunk)
      scores.add(Float32Array.from(rows.flat()), rows.length)
    }
    likelihood = sequence.likelihood(frame)
    for (const [piece, at] of said) {
      if (at !== frame) continue
      sequence = sequence.say(piece, frame)
      likelihood = sequence.likelihood(frame)
    }
  }
  return likelihood
}

describe('what is said in frames', () => {
  it('is as likely as all ways together to say it', () => {
    fc.assert(
      fc.property(
        ...utterance({ minLength: 4, maxLength: 5 }, 3),
        fc.integer({ min: 1, max: 5 }),
        (rows, said, chunk) => {
          const frames = rows.map(row => [...Float32Array.from(row)])
          const expected = everyWay(
            frames,
            said.map(([piece]) => piece),
          )
          const likelihood = search(frames, said, chunk)
          if (Number.isFinite(expected)) expect(likelihood).toBeCloseTo(expected, 4)
          else expect(likelihood).toBeLessThan(-1e20)
        },
      ),
    )
  })

  it('does not depend on how the frames are cut into chunks', () => {
    fc.assert(
      fc.property(
        ...utterance({ minLength: 20, maxLength: 30 }, 12),
        fc.integer({ min: 1, max: 9 }),
        (frames, said, chunk) => {
          expect(search(frames, said, chunk)).toBe(search(frames, said, frames.length))
        },
      ),
    )
  })

  it('cannot be heard on behind something else, nor when its frames are gone', () => {
    const scores = new FrameScores(BLANK)
    scores.add(new Float32Array(10 * (BLANK + 1)).fill(-1), 10)
    const nothing = SaidInFrames.nothing(scores, BLANK)
    const one = nothing.say(1, 0)
    one.likelihood(0)
    expect(one.canGoOn(3, nothing)).toBe(true)
    expect(one.canGoOn(9, nothing)).toBe(false)
    expect(one.canGoOn(3, nothing.say(2, 0))).toBe(false)
  })
})
