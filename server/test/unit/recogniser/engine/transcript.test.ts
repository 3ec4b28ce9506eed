import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Transcript } from '#server/recogniser/engine/search/transcript.js'

function transcript(pieces: readonly string[]) {
  return new Transcript({ pieces, blank: pieces.length })
}

/** Adds the pieces one by one, at the frames given or at 0, 1, 2 ... */
function say(pieces: readonly string[], frames?: readonly number[]) {
  const spoken = transcript(pieces)
  const appended: string[] = []
  pieces.forEach((_, piece) => {
    spoken.add({ piece, frame: frames?.[piece] ?? piece, logProbability: Math.log(0.5) })
    appended.push(spoken.takeNew())
  })
  appended.push(spoken.takeNew(true))
  return { spoken, appended }
}

describe('transcript', () => {
  it.each([
    ['Kikuyu letters', ['▁nĩ', '▁mũ', 'thĩ', 'i'], 'nĩ mũthĩi'],
    ['Kikuyu letters written as letter and tilde', ['▁n', 'i', '\u0303', '▁mu', '\u0303', 'no'], 'nĩ mũno'],
    ["Dholuo's ng'", ['▁', "ng'", 'a', 'to', "▁ng'", 'ut'], "ng'ato ng'ut"],
    ['bytes of a letter that the vocabulary lacks', ['▁n', '<0xC4>', '<0xA9>', '▁ma'], 'nĩ ma'],
    ['symbols that nobody said', ['<unk>', '▁a', '<ki>', 'b', '▁'], 'ab'],
    ['a first piece that begins no word', ['ra', '▁wa'], 'ra wa'],
    ['nothing', [], ''],
  ])('writes %s', (_, pieces, text) => {
    const { spoken, appended } = say(pieces)
    expect(spoken.text).toBe(text)
    expect(appended.join('')).toBe(text)
    expect(text).toBe(text.normalize('NFC'))
    expect(
      spoken
        .words(0, 99_999)
        .map(word => word.text)
        .join(' '),
    ).toBe(text)
  })

  it('only ever appends', () => {
    const piece = fc.constantFrom('▁', '▁n', 'i', 'u', '\u0303', 'ng', "'", '<0xC5>', '<0xA9>', '<unk>', '▁a')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
        const { spoken, appended } = say(pieces)
        expect(appended.join('')).toBe(spoken.text)
        expect(spoken.text).toBe(spoken.text.normalize('NFC').trim())
      }),
    )
  })

  it('gives the words of what it told, the last of them again where it grew', () => {
    const piece = fc.constantFrom('▁', '▁n', 'i', 'u', '\u0303', '▁\u0303', '<0xC5>', '<0xA9>', '<unk>', '▁a')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
        const spoken = transcript(pieces)
        let words: readonly string[] = []
        pieces.forEach((_, index) => {
          spoken.add({ piece: index, frame: index, logProbability: 0 })
          if (spoken.takeNew() === '') return
          words = [...words.slice(0, -1), ...spoken.takeNewWords(0, 99_999).map(word => word.text)]
          expect(words.join(' ')).toBe(spoken.text.trim())
        })
      }),
    )
  })

  it('places words on the grid of 80 ms, counted from the start of the utterance, within its audio', () => {
    const { spoken } = say(['▁wa', 'nyi', '▁ko'], [2, 4, 30])
    expect(spoken.words(1000, 3000)).toEqual([
      { text: 'wanyi', start_ms: 1160, end_ms: 1400, confidence: 0.5 },
      { text: 'ko', start_ms: 3000, end_ms: 3000, confidence: 0.5 },
    ])
  })
})
