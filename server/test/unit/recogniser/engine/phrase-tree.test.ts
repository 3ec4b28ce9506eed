import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PhraseTree } from '#server/recogniser/engine/search/phrase-tree.js'

const PIECES = [
  '▁',
  'w',
  'a',
  'n',
  'j',
  'i',
  'k',
  'ũ',
  'm',
  'u',
  "'",
  'g',
  'o',
  '▁wa',
  'nji',
  'kũ',
  '▁ka',
  'mau',
  '▁wan',
  'ma',
  "ng'",
]
const VOCABULARY = { pieces: PIECES, blank: PIECES.length }
const tree = (...phrases: string[]) => new PhraseTree(phrases, VOCABULARY, 1)

/** What is earned in all by saying these pieces and stopping. */
function earned(phrases: PhraseTree, pieces: readonly string[]): number {
  let node = phrases.root
  let sum = 0
  for (const piece of pieces) {
    const step = phrases.step(node, PIECES.indexOf(piece))
    node = step.node
    sum += step.gain
  }
  return sum + phrases.finish(node)
}

describe('the phrase tree', () => {
  it.each<[string, string[], string[], number]>([
    ['a whole phrase earns a bonus for every letter', ['Wanjikũ'], ['▁wa', 'nji', 'kũ'], 8],
    ['however it is cut into pieces', ['Wanjikũ'], ['▁', 'w', 'a', 'nji', 'k', 'ũ'], 8],
    ['also in the middle of other words', ['wanjikũ'], ['▁ka', '▁wa', 'nji', 'kũ', '▁ka', 'ma'], 8],
    ['a phrase that is left gives everything back', ['wanjikũ'], ['▁wa', 'nji', 'ma'], 0],
    ['a phrase that is not finished gives everything back', ['wanjikũ'], ['▁wa', 'nji'], 0],
    ['a word that only begins like the phrase gives everything back', ['ka'], ['▁ka', 'mau'], 0],
    ['a word that only ends like the phrase earns nothing', ['mau'], ['▁ka', 'mau'], 0],
    ['two words are one phrase', ['Wanjikũ Kamau'], ['▁wa', 'nji', 'kũ', '▁ka', 'mau'], 14],
    ['half of it gives back', ['Wanjikũ Kamau'], ['▁wa', 'nji', 'kũ', '▁ka', 'ma'], 0],
    ['unless the half is a phrase too', ['Wanjikũ Kamau', 'wanjikũ'], ['▁wa', 'nji', 'kũ', '▁ka', 'ma'], 8],
    [
      'a phrase may begin inside another that is left',
      ['wa kamau nji', 'kamau wa'],
      ['▁wa', '▁ka', 'mau', '▁wa'],
      9,
    ],
    ['signs between the words do not matter', [' Wanjikũ, KAMAU! '], ['▁wa', 'nji', 'kũ', '▁ka', 'mau'], 14],
    ["ng' keeps its sign, however it is written", ['ng\u2019o'], ['▁', "ng'", 'o'], 5],
  ])('%s', (_, phrases, pieces, sum) => {
    expect(earned(tree(...phrases), pieces)).toBe(sum)
  })

  it('leaves out what the model cannot spell', () => {
    expect(tree('日本', '', '  ').isEmpty).toBe(true)
    expect(tree('日本', 'wa').isEmpty).toBe(false)
  })

  it('never earns more than the letters that were said, and never less than nothing', () => {
    const piece = fc.constantFrom(...PIECES)
    const phrase = fc.array(fc.constantFrom('wa', 'nji', 'kũ', ' ', 'ka', 'mau', 'ma'), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(fc.array(phrase, { maxLength: 5 }), fc.array(piece, { maxLength: 30 }), (phrases, said) => {
        const sum = earned(tree(...phrases.map(parts => parts.join(''))), said)
        expect(sum).toBeGreaterThanOrEqual(0)
        expect(sum).toBeLessThanOrEqual(said.join('').length + 1)
      }),
    )
  })

  it('favours the pieces that go on with a phrase, and takes the bonus back with all others', () => {
    const phrases = tree('wanjikũ')
    const names = (node = phrases.root) => PIECES.filter((_, piece) => phrases.gains(node)![piece]! > 0)
    expect(names()).toEqual(['▁', '▁wa', '▁wan'])
    const begun = phrases.step(phrases.root, PIECES.indexOf('▁wa')).node
    expect(names(begun)).toEqual(['n', 'nji', '▁wan'])
    for (const piece of PIECES.keys())
      expect(phrases.gains(begun)![piece]).toBeCloseTo(phrases.step(begun, piece).gain)
  })

  it('has no gains where nothing is expected', () => {
    expect(tree().gains(tree().root)).toBeUndefined()
  })
})
