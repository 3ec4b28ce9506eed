import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareSpeech, SPEECH_MS } from './speech.ts'

const { wav, start, stop, account, expectedText, network } = prepareSpeech()

beforeAll(start)
afterAll(stop)

test('a file in a pipe gives plain lines, and every sample of it was heard once', async () => {
  const { run, sessions } = await account()
  const { code, out, err } = await run([wav])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out.split('\n').length).toBeGreaterThan(1)
  expect((await sessions()).map(session => session.audio_ms)).toEqual([Math.floor(SPEECH_MS)])
})

test('a file longer than a session goes through several, cut at pauses', async () => {
  const { run, sessions } = await account()
  const { code, out } = await run(['--session-seconds', '20', '--format', 'json', wav])
  expect(code).toBe(0)
  const { utterances, duration_ms, text } = JSON.parse(out)
  expect(duration_ms).toBe(Math.floor(SPEECH_MS))
  const used = await sessions()
  expect(used.length).toBeGreaterThan(1)
  expect(Math.max(...used.map(session => session.audio_ms))).toBeLessThanOrEqual(20_000)
  const heardMs = used.reduce((sum, session) => sum + session.audio_ms, 0)
  expect(Math.abs(heardMs - SPEECH_MS)).toBeLessThan(used.length)
  const words = utterances.flatMap(
    (utterance: { words: { start_ms: number; end_ms: number }[] }) => utterance.words,
  )
  for (const [index, word] of words.entries()) {
    expect(word.start_ms).toBeGreaterThanOrEqual(words[index - 1]?.start_ms ?? 0)
    expect(word.end_ms).toBeLessThanOrEqual(duration_ms + 2_000)
  }
  expect(text).toBe((await expectedText()).trim().split('\n').join(' '))
})

test('waits for a service that is unavailable for a while', async () => {
  const { run } = await account()
  network().isRefusing = true
  const { connections } = network()
  // From its first attempt on, however long it took to start.
  const watch = setInterval(() => {
    if (network().connections === connections) return
    clearInterval(watch)
    setTimeout(() => {
      network().isRefusing = false
    }, 2_000)
  }, 50)
  const { code, out, err } = await run(['--session-seconds', '20', wav])
  expect({ code, out }).toEqual({ code: 0, out: await expectedText() })
  expect(err).toContain('Trying again')
})
