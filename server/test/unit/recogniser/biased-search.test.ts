import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BiasedSearch } from '#server/recogniser/biased-search.js'
import { PhraseTree } from '#server/recogniser/phrase-tree.js'
import type { Emission } from '#server/recogniser/search.js'
import { numberedFrames, type Rule, ruledTransducer } from '../../support/ruled-transducer.ts'

const PIECES = ['▁ka', 'mau', 'mo', '▁nja', 'ra', 'ro', '▁wa']
const BLANK = PIECES.length
const SURE = 6

/** What the sounds of an utterance are like: at each frame some pieces with their scores, or nothing. */
type Sounds = readonly (Readonly<Record<string, number>> | undefined)[]

/** Each sound is said once, at its frame. */
function hearing(sounds: Sounds): Rule {
  const before = (frame: number) => sounds.slice(0, frame).filter(sound => sound !== undefined).length
  return (frame, said) => {
    const sound = sounds[frame]
    const scores: number[] = Array(BLANK + 1).fill(-SURE)
    if (sound === undefined || said.length !== before(frame)) scores[BLANK] = SURE
    else for (const [piece, score] of Object.entries(sound)) scores[PIECES.indexOf(piece)] = score
    return scores
  }
}

async function decode(sounds: Sounds, phrases: readonly string[], chunk = 4, maxRows = 16) {
  const tree = new PhraseTree(phrases, { pieces: PIECES, blank: BLANK }, 0.5)
  const search = new BiasedSearch(ruledTransducer(BLANK, maxRows, hearing(sounds)), tree)
  const told: Emission[][] = []
  for (let at = 0; at < sounds.length; at += chunk) {
    const frames = Math.min(chunk, sounds.length - at)
    told.push([...(await search.advance(numberedFrames(at, frames), frames))])
  }
  told.push([...search.finish()])
  return {
    told,
    text: told
      .flat()
      .map(({ piece }) => PIECES[piece])
      .join(''),
  }
}

const KAMAU_UNCLEAR: Sounds = [{ '▁ka': SURE }, undefined, { mo: 2, mau: 1 }, undefined, undefined]

describe('the biased search', () => {
  it('prefers a phrase where the sound leaves it open', async () => {
    expect((await decode(KAMAU_UNCLEAR, [])).text).toBe('▁kamo')
    expect((await decode(KAMAU_UNCLEAR, ['Kamau'])).text).toBe('▁kamau')
  })

  it('does not invent a phrase where the sound is clear', async () => {
    const clear: Sounds = [{ '▁ka': SURE }, undefined, { mo: SURE, mau: -SURE }, undefined]
    expect((await decode(clear, ['Kamau'])).text).toBe('▁kamo')
  })

  it('takes back the beginning of a phrase when it is not said to its end', async () => {
    const sounds: Sounds = [{ '▁wa': 1.5, '▁nja': 1 }, undefined, { mo: SURE }, undefined]
    expect((await decode(sounds, ['Njara'])).text).toBe('▁wamo')
    const said: Sounds = [{ '▁wa': 1.5, '▁nja': 1 }, undefined, { ra: SURE }, undefined]
    expect((await decode(said, ['Njara'])).text).toBe('▁njara')
  })

  it('tells only what no hypothesis contradicts, and never takes it back', async () => {
    const sounds: Sounds = [
      { '▁ka': SURE },
      { mo: 2, mau: 1.9 },
      undefined,
      undefined,
      { '▁wa': SURE },
      undefined,
    ]
    const { told } = await decode(sounds, ['Kamau'], 1)
    expect(told[0]!.map(({ piece }) => PIECES[piece])).toEqual(['▁ka'])
  })

  it('decides in the end, however long two hypotheses stay as good', async () => {
    const unclear: Sounds = [{ '▁ka': SURE }, { mo: 2, mau: 2 }, ...Array(60).fill(undefined)]
    const { told } = await decode(unclear, [], 14)
    expect(told.slice(0, -1).flat()).toHaveLength(2)
  })

  it('says the same however the frames are cut into chunks and rows', async () => {
    const sound = fc.option(
      fc.dictionary(fc.constantFrom(...PIECES), fc.double({ min: -3, max: 3, noNaN: true }), {
        minKeys: 1,
        maxKeys: 3,
      }),
      { nil: undefined },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(sound, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 14 }),
        fc.integer({ min: 1, max: 16 }),
        async (sounds, chunk, maxRows) => {
          const phrases = ['Kamau', 'njara wa']
          const whole = await decode(sounds, phrases, sounds.length, 16)
          expect((await decode(sounds, phrases, chunk, maxRows)).text).toBe(whole.text)
        },
      ),
      { numRuns: 60 },
    )
  })
})
