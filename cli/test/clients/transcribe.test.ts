// sauti transcribe against the real service. The tiny model says nonsense, but always the same nonsense for the same
// utterance: so two ways that must give the same text are compared with each other.

import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { parseText } from 'media-captions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { makeFolder, type RunOptions, runSauti } from '../support/run-sauti.ts'
import { makeSpeech, makeWav } from '../support/sounds.ts'

/** Twelve sentences of about three seconds with pauses between them. */
const PARTS_MS = Array.from({ length: 12 }, (_, n) => [
  400,
  -60,
  700,
  -80,
  500 + n * 40,
  -60,
  900,
  -700,
]).flat()
const SPEECH = makeSpeech(PARTS_MS, 20)
const SPEECH_MS = SPEECH.length / 16
const plain = { tag: 1, bits: 16, channels: 1, rateHz: 16_000 } as const

let bench: Bench
const { path, folder, remove } = makeFolder()
let wav: string

beforeAll(async () => {
  bench = await startBench()
  wav = path('speech.wav')
  writeFileSync(
    wav,
    makeWav(
      Array.from(SPEECH, sample => sample / 32_768),
      plain,
    ),
  )
  writeFileSync(path('ca.pem'), bench.service.ca)
})
afterAll(async () => {
  await bench.stop()
  remove()
})

async function account(options: Parameters<Bench['customer']>[0] = {}) {
  const { key } = await bench.customer(options)
  const env = { SAUTI_URL: bench.baseUrl, SAUTI_API_KEY: key, SAUTI_CA: path('ca.pem') }
  const run = (args: string[], more: RunOptions = {}) =>
    runSauti(['transcribe', '--model', 'kikuyu', ...args], { ...more, env: { ...env, ...more.env } })
  const sessions = async () => (await bench.directClient(key).usage()).recent_sessions
  return { key, env, run, sessions }
}

/** What the file says when nothing goes wrong; found out once. */
let expected: Promise<string> | undefined
function expectedText(): Promise<string> {
  expected ??= account().then(async ({ run }) => (await run(['--session-seconds', '20', wav])).out)
  return expected
}

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

test('a service that is not there for a while is waited for', async () => {
  const { run } = await account()
  bench.network.isRefusing = true
  setTimeout(() => {
    bench.network.isRefusing = false
  }, 3_000)
  const { code, out, err } = await run(['--session-seconds', '20', wav])
  expect({ code, out }).toEqual({ code: 0, out: await expectedText() })
  expect(err).toContain('Trying again')
})

describe('other ways in', () => {
  test('raw PCM and a WAVE stream on standard input', async () => {
    const { run } = await account()
    const raw = await run(['-'], { input: new Uint8Array(SPEECH.buffer) })
    const piped = await run(['-'], { input: readFileSync(wav) })
    expect(raw).toMatchObject({ code: 0, err: '' })
    expect(raw.out.split('\n').length).toBeGreaterThan(1)
    expect(piped.out).toBe(raw.out)
  })

  test('a microphone, until Ctrl-C: what was said until then is transcribed', async () => {
    const { run } = await account()
    // A recorder that plays the speech and then hangs, as a quiet microphone does.
    mkdirSync(path('bin'))
    writeFileSync(path('speech.raw'), new Uint8Array(SPEECH.buffer))
    writeFileSync(path('bin/arecord'), `#!/bin/sh\ncat '${path('speech.raw')}'\nexec sleep 60\n`)
    chmodSync(path('bin/arecord'), 0o755)
    const env = { PATH: `${path('bin')}:${process.env.PATH}` }
    const { code, out } = await run(['--microphone'], {
      env,
      onStart: child => {
        let lines = ''
        child.stdout?.on('data', text => {
          lines += text
          if (lines.split('\n').length === 2) child.kill('SIGINT')
        })
      },
    })
    expect(code).toBe(0)
    expect(out.split('\n').length).toBeGreaterThanOrEqual(2)
  })

  test('several files, one session at a time for the account: all are done, in their order', async () => {
    const { run } = await account()
    const names = ['a.wav', 'b.wav', 'c.wav'].map(path)
    for (const name of names) symlinkSync(wav, name)
    const { code, out } = await run(['--session-seconds', '20', ...names])
    const text = await expectedText()
    expect({ code, out }).toEqual({ code: 0, out: names.map(name => `==> ${name} <==\n${text}\n`).join('') })
  })
})

describe('ways out', () => {
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

  test('on a terminal there is a progress bar, and the words as they come', async () => {
    const { run } = await account()
    const { code, out: screen } = await run(['--session-seconds', '20', wav], { onTerminal: true })
    expect(code).toBe(0)
    expect(screen).toMatch(/\[█+░*\] \d:\d\d\/0:\d\d/)
    expect(screen.replaceAll('\r', '')).toContain((await expectedText()).split('\n')[0])
  })
})

describe('exit codes and words for a script', () => {
  test('1 or 2 for the caller', async () => {
    const { run } = await account()
    expect(await run([])).toMatchObject({ code: 2, err: expect.stringContaining('name the files') })
    expect(await run(['--format', 'doc', wav])).toMatchObject({ code: 2 })
    expect(await run(['--look-ahead', '5', wav])).toMatchObject({ code: 2 })
    expect((await runSauti(['transcribe', wav])).err).toContain('--model is required')
    expect(await run(['--model', 'klingon', wav])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/model does not exist.*\(request [0-9a-f-]{36}\)/),
    })
  })

  test('1: the text cannot be written', async () => {
    const { run } = await account()
    const output = path('no such folder/text.txt')
    expect(await run(['--output', output, wav])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('cannot be written'),
    })
  })

  test('3: the key is refused', async () => {
    const { run } = await account()
    const { code, err, out } = await run([wav], { env: { SAUTI_API_KEY: 'svc_live_v1_wrong' } })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain('The API key is not valid. Check SAUTI_API_KEY or run sauti login.')
    expect(err).not.toContain('svc_live')
  })

  test('4: the credit runs out on the way; what it paid for is there', async () => {
    const { run } = await account({ creditMs: 15_000 })
    const { code, out, err } = await run([wav])
    expect(code).toBe(4)
    expect(out.split('\n').length).toBeGreaterThan(1)
    expect(err).toContain('sauti usage')
  })

  test('5: nobody there', async () => {
    const { run } = await account()
    const env = { SAUTI_URL: 'https://127.0.0.1:9' }
    expect(await run(['--patience', '0', wav], { env })).toMatchObject({
      code: 5,
      err: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('6: files that cannot be read, while the others are done', async () => {
    const { run } = await account()
    writeFileSync(path('noise.mp3'), 'this is no sound at all')
    const { code, out, err } = await run([
      '--session-seconds',
      '20',
      path('none.wav'),
      wav,
      path('noise.mp3'),
      folder,
    ])
    expect(code).toBe(6)
    expect(out).toContain(await expectedText())
    expect(err).toContain('none.wav: there is no such file')
    expect(err).toContain('noise.mp3: ')
    expect(err).toContain('it is a folder')
  })

  test('6: without ffmpeg it is told how to get it; WAVE needs none', async () => {
    const { run } = await account()
    writeFileSync(path('song.mp3'), 'ID3')
    const env = { PATH: '/nonexistent' }
    expect(await run([path('song.mp3')], { env })).toMatchObject({
      code: 6,
      err: expect.stringContaining('apt-get install ffmpeg'),
    })
    expect(await run(['--session-seconds', '20', wav], { env })).toMatchObject({
      code: 0,
      out: await expectedText(),
    })
  })
})
