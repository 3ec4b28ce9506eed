import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSauti } from '../../support/run-sauti.ts'
import { prepareSpeech } from './speech.ts'

const { path, folder, wav, start, stop, account, expectedText } = prepareSpeech()

beforeAll(start)
afterAll(stop)

describe('exit codes and words for a script', () => {
  test('1 or 2 for the caller', async () => {
    const { run } = await account()
    expect(await run([])).toMatchObject({ code: 2, err: expect.stringContaining('name the files') })
    expect(await run(['--format', 'doc', wav])).toMatchObject({ code: 2 })
    expect(await run(['--look-ahead', '5', wav])).toMatchObject({ code: 2 })
    expect((await runSauti(['transcribe', wav])).err).toContain('--model is required')
    expect(await run(['--model', 'klingon', wav])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /model does not exist.*\(request [0-9a-f-]{36}\).*svc-asr-dholuo-v1 \(dholuo\)/,
      ),
    })
  })

  test('1: the text cannot be written', async () => {
    const { run } = await account()
    const output = join(wav, 'text.txt')
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

  test('4: the credit runs out during the file; the text that was paid for is there', async () => {
    const { run } = await account({ creditMs: 15_000 })
    const { code, out, err } = await run([wav])
    expect(code).toBe(4)
    expect(out.split('\n').length).toBeGreaterThan(1)
    expect(err).toContain('sauti usage')
  })

  test('5: the service cannot be reached', async () => {
    const { run } = await account()
    const env = { SAUTI_URL: 'https://127.0.0.1:9' }
    expect(await run(['--patience', '0', wav], { env })).toMatchObject({
      code: 5,
      err: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('5: an untrusted certificate is reported at once, with what to do', async () => {
    const { run } = await account()
    const began = performance.now()
    const { code, err } = await run([wav], { env: { SAUTI_CA: '' } })
    expect(code).toBe(5)
    expect(err).toMatch(/certificate.*not trusted.*SAUTI_CA.*--ca/)
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  test('6: some files cannot be read; the others are transcribed', async () => {
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
    expect(err).toContain('none.wav: no such file')
    expect(err).toContain('noise.mp3: ')
    expect(err).toContain('it is a folder')
  })

  test('6: without ffmpeg the message says how to get it; WAVE needs none', async () => {
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
