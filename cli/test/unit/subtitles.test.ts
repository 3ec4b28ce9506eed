import { formatSrt, formatVtt } from '@sauti/client/speech'
import { parseText } from 'media-captions'
import { expect, test } from 'vitest'

const words = Array.from({ length: 40 }, (_, n) => ({
  text: n === 3 ? 'a<b>&c' : `word${n}`,
  start_ms: n * 450 + (n > 20 ? 4_000 : 0),
  end_ms: n * 450 + 400 + (n > 20 ? 4_000 : 0),
  confidence: 0.9,
}))
const late = { text: 'late', start_ms: 3_661_001, end_ms: 3_661_001, confidence: 1 }

/** The public parser in its strict mode. */
async function parse(text: string, type: 'srt' | 'vtt') {
  const { cues, errors } = await parseText(text, { type, strict: true, errors: true })
  expect(errors).toEqual([])
  return cues.map(cue => ({
    start: Math.round(cue.startTime * 1000),
    end: Math.round(cue.endTime * 1000),
    text: cue.text,
  }))
}

test.each([
  ['srt', formatSrt],
  ['vtt', formatVtt],
] as const)(
  '%s is read by a public parser: every word once, in order, on readable cues',
  async (name, format) => {
    const text = format([...words, late])
    const cues = await parse(text, name)
    const decode = (line: string) =>
      line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    const spoken = cues.flatMap(cue => (name === 'vtt' ? decode(cue.text) : cue.text).split(/\s+/))
    expect(spoken).toEqual([...words.map(word => word.text), 'late'])
    cues.forEach((cue, index) => {
      expect(cue.end).toBeGreaterThan(cue.start)
      expect(cue.end).toBeLessThanOrEqual(cues[index + 1]?.start ?? Number.POSITIVE_INFINITY)
      for (const line of cue.text.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
    })
    expect(cues.at(-1)?.start).toBe(3_661_001)
  },
)

test('a recording without words is an empty but valid file', () => {
  expect(formatSrt([])).toBe('')
  expect(formatVtt([])).toBe('WEBVTT\n')
})
