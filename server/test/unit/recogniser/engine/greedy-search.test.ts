import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GreedySearch, MAX_SYMBOLS_A_FRAME } from '#server/recogniser/engine/search/greedy-search.js'
import type { Emission } from '#server/recogniser/engine/search/search.js'
import { numberedFrames, ruledTransducer } from '../../../support/recogniser/ruled-transducer.ts'

/** Says, for a frame's number and the pieces so far, which symbol wins. */
type Rule = (frame: number, said: readonly number[]) => number

const BLANK = 5

/** Scores in which the winner of the rule wins. */
const winning = (symbol: number) => Array.from({ length: BLANK + 1 }, (_, i) => (i === symbol ? 3 : 0))

/** The textbook: one frame, one symbol at a time. */
function textbook(rule: Rule, frames: number): { piece: number; frame: number }[] {
  const out: { piece: number; frame: number }[] = []
  for (let frame = 0; frame < frames; frame++) {
    for (let symbols = 0; symbols < MAX_SYMBOLS_A_FRAME; symbols++) {
      const piece = rule(
        frame,
        out.map(said => said.piece),
      )
      if (piece === BLANK) break
      out.push({ piece, frame })
    }
  }
  return out
}

async function search(rule: Rule, chunks: readonly number[], maxRows: number): Promise<Emission[]> {
  const greedy = new GreedySearch(
    ruledTransducer(BLANK, maxRows, (frame, said) => winning(rule(frame, said))),
  )
  const out: Emission[] = []
  let frame = 0
  for (const frames of chunks) {
    out.push(...(await greedy.advance(numberedFrames(frame, frames), frames)))
    frame += frames
  }
  return out
}

const placed = (emissions: readonly Emission[]) => emissions.map(({ piece, frame }) => ({ piece, frame }))

describe('greedy search', () => {
  it.each<[string, Rule, { piece: number; frame: number }[]]>([
    ['says nothing when the blank wins everywhere', () => BLANK, []],
    [
      'says one piece at its frame',
      (frame, said) => (frame === 6 && said.length === 0 ? 2 : BLANK),
      [{ piece: 2, frame: 6 }],
    ],
    [
      'says several pieces at one frame',
      (frame, said) => (frame === 1 && said.length < 3 ? said.length : BLANK),
      [
        { piece: 0, frame: 1 },
        { piece: 1, frame: 1 },
        { piece: 2, frame: 1 },
      ],
    ],
  ])('%s', async (_, rule, expected) => {
    expect(placed(await search(rule, [14], 16))).toEqual(expected)
  })

  it('leaves a frame that never gives a blank', async () => {
    const emissions = await search(() => 1, [3], 16)
    expect(emissions).toHaveLength(3 * MAX_SYMBOLS_A_FRAME)
    expect(emissions.at(-1)!.frame).toBe(2)
  })

  it('equals the textbook search, however the frames are cut into chunks and rows', async () => {
    const pattern = fc.array(fc.nat(BLANK), { minLength: 1, maxLength: 60 })
    const chunks = fc.array(fc.integer({ min: 1, max: 14 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(pattern, chunks, fc.integer({ min: 1, max: 16 }), async (symbols, cut, maxRows) => {
        const rule: Rule = (frame, said) => symbols[(frame * 7 + said.length * 3) % symbols.length]!
        const frames = cut.reduce((sum, n) => sum + n, 0)
        expect(placed(await search(rule, cut, maxRows))).toEqual(textbook(rule, frames))
      }),
    )
  })

  it('reports the probability of what it said', async () => {
    const [emission] = await search((frame, said) => (frame === 0 && said.length === 0 ? 2 : BLANK), [1], 16)
    const expected = Math.exp(3) / (Math.exp(3) + BLANK)
    expect(Math.exp(emission!.logProbability)).toBeCloseTo(expected, 5)
  })
})
