import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { parseText } from 'media-captions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareSpeech, SPEECH_MS } from './speech.ts'

const { path, wav, start, stop, account, expectedText } = prepareSpeech()

beforeAll(start)
afterAll(stop)

describe('outputs', () => {
  test.each(['srt', 'vtt'] as const)('%s parses in a public parser', async format => {
    const { run } = await account()
    const output = path(`speech.${format}`)
    expect(await run(['--format', format, '--output', output, wav])).toMatchObject({ code: 0, out: '' })
    const { cues, errors } = await parseText(readFileSync(output, 'utf8'), {
      type: format,
      strict: true,
      errors: true,
    })
    expect(errors).toEqual([])
    expect(cues.length).toBeGreaterThan(0)
    expect(cues.at(-1)!.endTime * 1000).toBeLessThan(SPEECH_MS + 2_000)
  })

  test('a missing folder is created, and names get one extension unless two files share a name', async () => {
    const { run } = await account()
    symlinkSync(wav, path('one.wav'))
    symlinkSync(wav, path('two.wav'))
    symlinkSync(wav, path('two.wave'))
    const output = path('texts/of/today')
    const files = ['one.wav', 'two.wav', 'two.wave'].map(path)
    expect(await run(['--output', output, '--session-seconds', '20', ...files])).toMatchObject({ code: 0 })
    expect(readdirSync(output).sort()).toEqual(['one.txt', 'two.wav.txt', 'two.wave.txt'])
  })

  test('on a terminal there is a progress bar, and the words as they come', async () => {
    const { run } = await account()
    const { code, out: screen } = await run(['--session-seconds', '20', wav], { onTerminal: true })
    expect(code).toBe(0)
    expect(screen).toMatch(/\[█+░*\] \d:\d\d\/0:\d\d/)
    expect(screen.replaceAll('\r', '')).toContain((await expectedText()).split('\n')[0])
  })
})
