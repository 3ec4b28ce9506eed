import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BeamSearch } from '#server/recogniser/engine/search/beam-search.js'
import type { LanguageModel } from '#server/recogniser/engine/search/language-model.js'
import { PhraseTree } from '#server/recogniser/engine/search/phrase-tree.js'
import type { Emission } from '#server/recogniser/engine/search/search.js'
import { numberedFrames, type Rule, ruledTransducer } from '../../../support/recogniser/ruled-transducer.ts'
import { openWritten } from '../../../support/recogniser/written-language.ts'

const PIECES = ['▁ka', 'mau', 'mo', '▁nja', 'ra', 'ro', '▁wa']
const BLANK = PIECES.length
const SURE = 6
/** The frame in which nothing is heard. */
const SILENCE = -1
const silence = Float32Array.of(SILENCE)

/** The acoustic scores of an utterance: at each frame some pieces with their scores, or nothing. */
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

interface DecodeOptions {
  readonly phrases?: readonly string[]
  readonly languageModel?: LanguageModel
  readonly chunk?: number
}

async function decode(sounds: Sounds, options: DecodeOptions = {}) {
  const { phrases = [], languageModel, chunk = 4 } = options
  const tree = new PhraseTree(phrases, { pieces: PIECES, blank: BLANK }, 0.5)
  const transducer = ruledTransducer(BLANK, 16, hearing(sounds))
  const search = new BeamSearch(transducer, { phrases: tree, languageModel, silence })
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

/** Says surely all pieces but the last one, one a frame; silence is so many times as likely as that one. */
function searchFaint(times: number, phrases: readonly string[], pieces: readonly number[]): Emission[] {
  const rule: Rule = (frame, said) => {
    const scores: number[] = Array(BLANK + 1).fill(-40)
    const isFaint = frame === pieces.length - 1
    const isDue = frame < pieces.length && said.length === frame
    scores[BLANK] = isDue && !isFaint ? -40 : 0
    if (isDue) scores[pieces[frame]!] = isFaint ? -Math.log(times) : 0
    return scores
  }
  return searchBy(rule, 6, phrases)
}

function searchBy(
  rule: Rule,
  frames: number,
  phrases: readonly string[] = [],
  languageModel?: LanguageModel,
): Emission[] {
  const tree = new PhraseTree(phrases, { pieces: PIECES, blank: BLANK }, 0.5)
  const transducer = ruledTransducer(BLANK, 16, rule)
  const search = new BeamSearch(transducer, { phrases: tree, languageModel, silence })
  return [...search.advance(numberedFrames(0, frames), frames), ...search.finish()]
}

const piecesOf = (emissions: readonly Emission[]) => emissions.map(({ piece }) => piece)

/** After ▁ka mostly mau, after ▁nja mostly ra. */
const LANGUAGE = openWritten({
  vocabularySize: BLANK,
  weights: [1, 0, 1],
  levels: [
    [{ context: [], next: {}, rest: 1 }],
    [
      { context: [0], next: { 1: 0.9 }, rest: 0.1 },
      { context: [3], next: { 4: 0.9 }, rest: 0.1 },
    ],
  ],
})
const KAMAU_UNCLEAR: Sounds = [{ '▁ka': SURE }, undefined, { mo: 2, mau: 1 }, undefined, undefined]

/** All pieces that are not named are unlikely. */
function scored(pieces: Readonly<Record<number, number>>, blank = -SURE): number[] {
  return Array.from({ length: BLANK + 1 }, (_, symbol) =>
    symbol === BLANK ? blank : (pieces[symbol] ?? -SURE),
  )
}

describe('the beam search', () => {
  it('takes the spelling that the language prefers where the sound leaves it open', async () => {
    expect((await decode(KAMAU_UNCLEAR, { languageModel: LANGUAGE })).text).toBe('▁kamau')
    const clear: Sounds = [{ '▁ka': SURE }, undefined, { mo: SURE, mau: -SURE }, undefined]
    expect((await decode(clear, { languageModel: LANGUAGE })).text).toBe('▁kamo')
  })

  it.each([
    { network: 0, written: ['▁ka', 'mo'], why: 'as the network would have it' },
    { network: 0.5, written: ['▁ka', 'mau'], why: 'as it sounds, without what the network expects anyway' },
  ])('with $network of the expectation taken off it writes $written: $why', ({ network, written }) => {
    const languageModel = openWritten({
      vocabularySize: BLANK,
      weights: [0, network, 0],
      levels: [[{ context: [], next: {}, rest: 1 }], []],
    })
    const nothing = scored({}, SURE)
    const heard = [scored({ 0: 0 }), scored({ 1: 1, 2: 2 })]
    const expected = [scored({ 0: 0 }, SURE), scored({ 1: -3, 2: 0 }, SURE)]
    const expectsMo: Rule = (frame, said) =>
      (frame === SILENCE ? expected[said.length] : said.length === frame ? heard[frame] : undefined) ??
      nothing
    const pieces = piecesOf(searchBy(expectsMo, 4, [], languageModel)).map(piece => PIECES[piece])
    expect(pieces).toEqual(written)
  })

  it('writes a word that was probably said, although each moment at which it can have been said is less likely than silence', async () => {
    const maybe = [Math.log(0.7), Math.log(0.3)] as const
    const rule: Rule = (_frame, said) => {
      const scores: number[] = Array(BLANK + 1).fill(-40)
      scores[BLANK] = said.length === 0 ? maybe[0] : 0
      scores[0] = said.length === 0 ? maybe[1] : -40
      return scores
    }
    expect(searchBy(rule, 3).map(({ piece, frame }) => [piece, frame])).toEqual([[0, 0]])
  })

  it.each([
    { times: 5, phrases: [], written: [0], why: 'rather than nothing' },
    { times: 100, phrases: [], written: [], why: 'but not where silence is far likelier' },
    {
      times: 100,
      phrases: ['Kamau'],
      written: [],
      why: 'nor then with phrases, which are waited for longer',
    },
  ])(
    'where silence is $times times as likely as a word, it writes $written: $why',
    ({ times, phrases, written }) => {
      expect(piecesOf(searchFaint(times, phrases, [0]))).toEqual(written)
    },
  )

  it('adds no word that is less likely than silence to what was said', () => {
    expect(piecesOf(searchFaint(5, [], [3, 0]))).toEqual([3])
  })

  it('reports what it recognised within a third of a second, also where the language model has no preference', async () => {
    const open: Sounds = [{ '▁wa': 2, '▁nja': 1.9 }, ...Array(10).fill(undefined)]
    const { told } = await decode(open, { languageModel: LANGUAGE, chunk: 1 })
    expect(told.findIndex(emissions => emissions.length > 0)).toBeLessThanOrEqual(5)
  })

  it('prefers a phrase where the sound leaves it open', async () => {
    expect((await decode(KAMAU_UNCLEAR)).text).toBe('▁kamo')
    expect((await decode(KAMAU_UNCLEAR, { phrases: ['Kamau'] })).text).toBe('▁kamau')
  })

  it('does not invent a phrase where the sound is clear', async () => {
    const clear: Sounds = [{ '▁ka': SURE }, undefined, { mo: SURE, mau: -SURE }, undefined]
    expect((await decode(clear, { phrases: ['Kamau'] })).text).toBe('▁kamo')
  })

  it('takes back the beginning of a phrase when it is not said to its end', async () => {
    const sounds: Sounds = [{ '▁wa': 1.5, '▁nja': 1 }, undefined, { mo: SURE }, undefined]
    expect((await decode(sounds, { phrases: ['Njara'] })).text).toBe('▁wamo')
    const said: Sounds = [{ '▁wa': 1.5, '▁nja': 1 }, undefined, { ra: SURE }, undefined]
    expect((await decode(said, { phrases: ['Njara'] })).text).toBe('▁njara')
  })

  it('reports only what no hypothesis contradicts, and never takes it back', async () => {
    const sounds: Sounds = [
      { '▁ka': SURE },
      { mo: 2, mau: 1.9 },
      undefined,
      undefined,
      { '▁wa': SURE },
      undefined,
    ]
    const { told } = await decode(sounds, { phrases: ['Kamau'], chunk: 1 })
    expect(told[0]!.map(({ piece }) => PIECES[piece])).toEqual(['▁ka'])
  })

  it('decides in the end, however long two hypotheses stay as good', async () => {
    const unclear: Sounds = [{ '▁ka': SURE }, { mo: 2, mau: 2 }, ...Array(60).fill(undefined)]
    const { told } = await decode(unclear, { chunk: 14 })
    expect(told.slice(0, -1).flat()).toHaveLength(2)
  })

  it('says the same however the frames are cut into chunks', async () => {
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
        fc.boolean(),
        async (sounds, chunk, isGuided) => {
          const guides = { phrases: isGuided ? ['Kamau', 'njara wa'] : [], languageModel: LANGUAGE }
          const whole = await decode(sounds, { ...guides, chunk: sounds.length })
          expect((await decode(sounds, { ...guides, chunk })).text).toBe(whole.text)
        },
      ),
      { numRuns: 60 },
    )
  })
})
