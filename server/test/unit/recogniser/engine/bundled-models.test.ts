import { LOOK_AHEADS } from '@sauti/protocol/audio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Recogniser } from '#server/recogniser/port.js'
import {
  BUNDLED_MODELS,
  type Language,
  MODEL_OF,
  openBundled,
  readNameClips,
  readSamples,
  transcribe,
} from '../../../support/recogniser/bundled.ts'
import { OneShot } from '../../../support/recogniser/one-shot.ts'
import { countDifferences, editDistance } from '../../../support/recogniser/samples.ts'
import { wordErrors } from '../../../support/recogniser/word-errors.ts'

let recogniser: Recogniser
beforeAll(async () => {
  recogniser = await openBundled()
}, 60_000)
afterAll(() => recogniser.close())

const samples = readSamples()

/**
 * Processors sum in different orders, and int8 rounds what they sum: where two spellings are almost equally likely,
 * another machine may choose the other. One word may differ, by three letters, or be
 * written as two (`nomiye`, `nomi e`). Texts of fp32 models are compared exactly.
 */
function nearTies(text: string, reference: string): boolean {
  return countDifferences(text, reference) <= 1 && editDistance(text, reference) <= 3
}

describe.each(samples)('the sample $file', ({ language, audio, heard }) => {
  it.each(LOOK_AHEADS)(
    'is heard as the reference hears it, but for near ties, look-ahead %i',
    async lookAhead => {
      const { text } = await transcribe(recogniser, language, audio, { lookAhead })
      expect(nearTies(text, heard[lookAhead]!), `"${text}" for "${heard[lookAhead]}"`).toBe(true)
    },
    60_000,
  )

  it('is heard chunk by chunk as in one shot, piece by piece', async () => {
    const oneShot = await OneShot.open(`${BUNDLED_MODELS}/${MODEL_OF[language]}`)
    for (const lookAhead of [13, 3] as const) {
      const said = await oneShot.decode(audio, lookAhead)
      const { words } = await transcribe(recogniser, language, audio, { lookAhead })
      const firstPieces = said.filter(({ piece }) => piece.startsWith('▁'))
      expect(words.map(word => word.text).join('▁')).toBe(
        said
          .map(({ piece }) => piece)
          .join('')
          .slice(1),
      )
      expect(words.map(word => word.start_ms)).toEqual(firstPieces.map(({ frame }) => frame * 80))
    }
  }, 60_000)

  it('keeps its last word when it is cut right after its last sound', async () => {
    const end = audio.findLastIndex(sample => Math.abs(sample) > 600) + 1
    const cut = await transcribe(recogniser, language, audio.subarray(0, end))
    const whole = await transcribe(recogniser, language, audio)
    // The silence after it differs: the word must be there, near ties in its spelling are allowed.
    const lastOf = (text: string) => text.split(' ').at(-1)!
    expect(editDistance(lastOf(cut.text), lastOf(whole.text))).toBeLessThanOrEqual(2)
  }, 60_000)

  it('has words in order, on the grid, within the audio, with their confidence', async () => {
    const { text, words, audioMs } = await transcribe(recogniser, language, audio)
    expect(words.map(word => word.text).join(' ')).toBe(text)
    words.forEach((word, i) => {
      expect(word.start_ms % 80).toBe(0)
      expect(word.start_ms).toBeGreaterThanOrEqual(words[i - 1]?.start_ms ?? 0)
      expect(word.end_ms).toBeGreaterThan(word.start_ms)
      expect(word.end_ms).toBeLessThanOrEqual(audioMs)
      expect(word.confidence).toBeGreaterThan(0)
      expect(word.confidence).toBeLessThanOrEqual(1)
    })
  }, 60_000)
})

describe('without their language models', () => {
  it('the models spell by sound alone, as the plainest search does', async () => {
    const plain = await openBundled({ languageModel: 'off' })
    for (const { language, audio } of samples) {
      const oneShot = await OneShot.open(`${BUNDLED_MODELS}/${MODEL_OF[language]}`, 'off')
      const said = await oneShot.decode(audio, 13)
      const { words } = await transcribe(plain, language, audio)
      expect(words.map(word => `▁${word.text}`).join('')).toBe(said.map(({ piece }) => piece).join(''))
    }
    await plain.close()
  }, 60_000)
})

describe.each<Language>(['ki', 'luo'])('nothing is invented (%s)', language => {
  const random = () => {
    let state = 12_345
    return () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
      return state / 2 ** 31 - 0.5
    }
  }
  const hum = (n: number) => 2000 * Math.sin((n * 2 * Math.PI * 50) / 16_000)
  let rumble = 0
  it.each<[string, (n: number, noise: () => number) => number]>([
    ['silence', () => 0],
    ['a constant', () => 500],
    ['a quiet hiss', (_, noise) => noise() * 600],
    ['a loud hiss', (_, noise) => noise() * 6000],
    ['a mains hum', hum],
    ['a tone', n => 3000 * Math.sin((n * 2 * Math.PI * 1000) / 16_000)],
    ['clicks', n => (n % 8000 < 20 ? 15_000 * Math.sin(n) : 0)],
    [
      'wind',
      (n, noise) => {
        rumble = rumble * 0.98 + noise() * 2000
        return rumble * Math.max(0, Math.sin((n / 16_000) * 4.4))
      },
    ],
  ])(
    'from %s',
    async (_, sound) => {
      const noise = random()
      const audio = Int16Array.from({ length: 10 * 16_000 }, (_, n) => sound(n, noise))
      expect((await transcribe(recogniser, language, audio)).text).toBe('')
    },
    60_000,
  )
})

describe('rare names', () => {
  it('are wrong at most half as often with the phrases given, and no other word suffers', async () => {
    const clips = readNameClips()
    const plain = { names: 0, others: 0 }
    const biased = { names: 0, others: 0 }
    const distracted = { names: 0, others: 0 }
    const unsaid: string[] = []
    for (const { language, text, names, audio } of clips) {
      const namesOfOthers = clips.filter(clip => clip.text !== text).flatMap(clip => clip.names)
      const hear = async (phrases: readonly string[]) =>
        (await transcribe(recogniser, language, audio, { phrases })).text
      add(plain, wordErrors(text, await hear([]), names))
      add(biased, wordErrors(text, await hear([...names, ...namesOfOthers]), names))
      const beside = await hear(namesOfOthers)
      add(distracted, wordErrors(text, beside, names))
      unsaid.push(...namesOfOthers.filter(name => beside.split(' ').includes(name) && !text.includes(name)))
    }
    expect(biased.names).toBeLessThanOrEqual(plain.names / 2)
    expect(biased.others).toBeLessThanOrEqual(plain.others)
    expect(unsaid, 'names that nobody said').toEqual([])
    const words = clips.flatMap(({ text }) => text.split(' ')).length
    expect(distracted.others - plain.others).toBeLessThanOrEqual(words * 0.04)
  }, 120_000)
})

function add(sum: { names: number; others: number }, more: { names: number; others: number }): void {
  sum.names += more.names
  sum.others += more.others
}
