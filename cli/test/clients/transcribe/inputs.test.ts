import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeWav } from '../../../../sdk/test/support/sounds.ts'
import { isMissing, pathOf } from '../../../../server/test/support/programs.ts'
import { plain, prepareSpeech, SPEECH, SPEECH_MS } from './speech.ts'

const { path, wav, start, stop, account, expectedText } = prepareSpeech()

beforeAll(start)
afterAll(stop)

describe('other inputs', () => {
  test('a WAVE stream on standard input, and raw PCM where it is asked for', async () => {
    const { run } = await account()
    const raw = await run(['--raw', '-'], { input: new Uint8Array(SPEECH.buffer) })
    const piped = await run(['-'], { input: readFileSync(wav) })
    expect(raw).toMatchObject({ code: 0, err: '' })
    expect(raw.out.split('\n').length).toBeGreaterThan(1)
    expect(piped.out).toBe(raw.out)
    writeFileSync(path('speech.pcm'), new Uint8Array(SPEECH.buffer))
    expect(await run(['--raw', '--session-seconds', '20', path('speech.pcm')])).toMatchObject({
      code: 0,
      out: await expectedText(),
    })
  })

  test.skipIf(isMissing('ffmpeg'))('an MP3 in a pipe is decoded, not heard as noise', async () => {
    const { run, sessions } = await account()
    execFileSync(pathOf('ffmpeg'), ['-v', 'error', '-y', '-i', wav, path('piped.mp3')])
    expect(await run(['-'], { input: readFileSync(path('piped.mp3')) })).toMatchObject({ code: 0, err: '' })
    const heardMs = (await sessions()).reduce((sum, session) => sum + session.audio_ms, 0)
    expect(Math.abs(heardMs - SPEECH_MS)).toBeLessThan(200)
  })

  test('a file without sound is refused before anything is charged', async () => {
    const { run, sessions } = await account()
    const samples = await run(['-'], { input: new Uint8Array(SPEECH.buffer) })
    expect(samples).toMatchObject({ code: 6, out: '', err: expect.stringContaining('add --raw') })
    expect(await run(['-'], { input: '' })).toMatchObject({
      code: 6,
      err: expect.stringContaining('standard input: it is empty'),
    })
    expect(await run(['--rate', '8000', '-'])).toMatchObject({ code: 2 })
    expect(await sessions()).toEqual([])
  })

  test('says so where nothing was recognised', async () => {
    const { run } = await account()
    writeFileSync(path('silence.wav'), makeWav([], plain))
    const { code, out, err } = await run([path('silence.wav')])
    expect({ code, out }).toEqual({ code: 0, out: '' })
    expect(err).toContain('silence.wav: no speech was recognised')
  })

  test('a microphone, until Ctrl-C: what was said until then is transcribed', async () => {
    const { run } = await account()
    // A recorder that plays the speech and then hangs, as a quiet microphone does.
    mkdirSync(path('bin'))
    writeFileSync(path('speech.raw'), new Uint8Array(SPEECH.buffer))
    writeFileSync(path('bin/arecord'), `#!/bin/sh\ncat '${path('speech.raw')}'\nexec sleep 60\n`)
    chmodSync(path('bin/arecord'), 0o755)
    const env = { PATH: `${path('bin')}:${process.env.PATH}` }
    const { code, out, err } = await run(['--microphone'], {
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
    expect(err).toContain('listening, Ctrl-C to stop')
  })

  test.each([
    [
      'no microphone was found',
      'ALSA lib: Unknown PCM default\narecord: main:831: audio open error: No such file or directory',
    ],
    ['in use by another program', 'arecord: main:831: audio open error: Device or resource busy'],
    ['may not be used', 'arecord: main:831: audio open error: Permission denied'],
    ['the recorder stopped before it gave any sound', undefined],
  ])(
    'a microphone that cannot be used is explained, and nobody is asked to speak: %s',
    async (words, complaint) => {
      const { run, sessions } = await account()
      const end = complaint === undefined ? 'exit 0' : `echo '${complaint}' >&2\nexit 1`
      mkdirSync(path('bad-bin'), { recursive: true })
      writeFileSync(path('bad-bin/arecord'), `#!/bin/sh\n${end}\n`)
      chmodSync(path('bad-bin/arecord'), 0o755)
      const env = { PATH: `${path('bad-bin')}:${process.env.PATH}` }
      const { code, err } = await run(['--microphone'], { env })
      expect({ code, lines: err.trim().split('\n') }).toEqual({
        code: 6,
        lines: [expect.stringContaining(words)],
      })
      expect(await sessions()).toEqual([])
    },
  )

  test('several files with one session at a time: all are transcribed, in order', async () => {
    const { run } = await account()
    const names = ['a.wav', 'b.wav', 'c.wav'].map(path)
    for (const name of names) symlinkSync(wav, name)
    const { code, out } = await run(['--session-seconds', '20', ...names])
    const text = await expectedText()
    expect({ code, out }).toEqual({ code: 0, out: names.map(name => `==> ${name} <==\n${text}\n`).join('') })
  })
})
