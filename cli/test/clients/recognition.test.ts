// sauti transcribe with the bundled models: real words from real files.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../sdk/test/support/bench.ts'
import { makeRecording } from '../../../sdk/test/support/recording.ts'
import { makeWav } from '../../../sdk/test/support/sounds.ts'
import { isMissing, pathOf } from '../../../server/test/support/programs.ts'
import {
  countDifferences,
  countWordErrors,
  editDistance,
  MODELS_DIR,
  readSamples,
} from '../../../server/test/support/recogniser/samples.ts'
import { makeFolder, runSauti } from '../support/run-sauti.ts'

/** SAUTI_TEST_MINUTES=20 makes it a recording of 20 minutes in sessions of 300 seconds; the check has time for less. */
const MINUTES = Number(process.env.SAUTI_TEST_MINUTES ?? 1.2)
const SESSIONS = ['--session-seconds', MINUTES > 10 ? '300' : '20']

let bench: Bench
const { path, folder, remove } = makeFolder()
beforeAll(async () => {
  bench = await startBench({ SAUTI_MODELS_DIR: MODELS_DIR })
  writeFileSync(path('ca.pem'), bench.service.ca)
})
afterAll(async () => {
  await bench.stop()
  remove()
})

interface Transcript {
  readonly file: string
  readonly text: string
  readonly utterances: {
    readonly start_ms: number
    readonly end_ms: number
    readonly words: { readonly text: string; readonly start_ms: number; readonly end_ms: number }[]
  }[]
}

async function transcribe(model: string, args: readonly string[], concurrency = 1): Promise<Transcript[]> {
  const { key } = await bench.customer({ concurrency })
  const env = { SAUTI_URL: bench.baseUrl, SAUTI_API_KEY: key, SAUTI_CA: path('ca.pem') }
  const { code, out, err } = await runSauti(['transcribe', '--model', model, '--json', ...args], { env })
  expect({ code, err }).toMatchObject({ code: 0 })
  return JSON.parse(out).transcripts
}

function writeRecording(name: string, pcm: Int16Array): string {
  const samples = Array.from(pcm, sample => sample / 32_768)
  writeFileSync(path(name), makeWav(samples, { tag: 1, bits: 16, channels: 1, rateHz: 16_000 }))
  return path(name)
}

function convert(from: string, name: string, ...options: string[]): string {
  execFileSync(pathOf('ffmpeg'), ['-v', 'error', '-y', '-i', from, ...options, path(name)])
  return path(name)
}

test.skipIf(isMissing('ffmpeg'))(
  'every file format gives the text of the wav, within two words',
  async () => {
    const { pcm, sentences } = makeRecording('luo', 0.2)
    const wav = writeRecording('talk.wav', pcm)
    const files = [
      wav,
      convert(wav, 'talk.mp3', '-b:a', '128k'),
      convert(wav, 'talk.m4a'),
      convert(wav, 'talk.ogg', '-c:a', 'libvorbis'),
      convert(wav, 'talk.opus', '-b:a', '48k'),
      convert(wav, 'talk.flac', '-ar', '44100'),
      convert(wav, 'talk.webm', '-c:a', 'libopus'),
      convert(wav, 'talk.mp4', '-f', 'lavfi', '-i', 'color=size=64x64:rate=5', '-shortest'),
      convert(wav, 'stereo-96k.wav', '-ar', '96000', '-ac', '2', '-c:a', 'pcm_s24le'),
      convert(
        wav,
        'surround-48k.wav',
        '-ar',
        '48000',
        '-filter:a',
        'pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0',
      ),
    ]
    const transcripts = await transcribe('dholuo', files)
    const [first, ...others] = transcripts.map(({ file, text }) => ({ name: basename(file), text }))
    expect(
      countDifferences(first!.text, sentences.map(sentence => sentence.text).join(' ')),
    ).toBeLessThanOrEqual(3)
    for (const { name, text } of others) {
      expect(countDifferences(text, first!.text), `${name}: ${text}`).toBeLessThanOrEqual(2)
    }
  },
)

describe.skipIf(isMissing('ffmpeg'))('resampling leaves the recognition as it is', () => {
  /** Word errors over all samples of both languages. */
  async function countErrors(files: (name: string, sample: string) => string): Promise<number> {
    const counts = ['ki', 'luo'].map(async code => {
      const samples = readSamples(code)
      const paths = samples.map(sample => files(basename(sample.path, '.wav'), sample.path))
      const transcripts = await transcribe(code, paths)
      return transcripts.reduce((sum, { text }, n) => sum + countWordErrors(text, samples[n]!.text), 0)
    })
    return (await Promise.all(counts)).reduce((a, b) => a + b)
  }

  test('from 48 and 44.1 kHz, against 16 kHz', async () => {
    const original = await countErrors((_, sample) => sample)
    for (const rate of ['48000', '44100']) {
      const errors = await countErrors((name, sample) => convert(sample, `${name}-${rate}.wav`, '-ar', rate))
      expect(Math.abs(errors - original), rate).toBeLessThanOrEqual(1)
    }
  })

  test('from 8 kHz, against the same 8 kHz brought to 16 by another resampler of high quality', async () => {
    const narrow = (name: string, sample: string) => convert(sample, `${name}-8k.wav`, '-ar', '8000')
    const wide = (name: string, sample: string) =>
      convert(
        narrow(name, sample),
        `${name}-8k-16k.wav`,
        '-af',
        'aresample=16000:filter_size=256:cutoff=0.95',
      )
    const [ours, theirs] = [await countErrors(narrow), await countErrors(wide)]
    expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(1)
  })
})

describe('a recording longer than a session', () => {
  const recording = makeRecording('ki', MINUTES)
  let wav: string
  let whole: Transcript

  beforeAll(
    async () => {
      wav = writeRecording('long.wav', recording.pcm)
      ;[whole] = (await transcribe('kikuyu', [...SESSIONS, wav])) as [Transcript]
    },
    120_000 + MINUTES * 60_000,
  )

  test('loses no word between sessions', () => {
    const seams = whole.utterances.slice(1).map(utterance => utterance.start_ms)
    expect(seams.length).toBeGreaterThan(3)
    const words = whole.utterances.flatMap(utterance => utterance.words)
    let [lost, total] = [0, 0]
    for (const { startMs, endMs, text } of recording.sentences) {
      const isHere = (word: { start_ms: number; end_ms: number }) => {
        const middle = (word.start_ms + word.end_ms) / 2
        return middle >= startMs && middle < endMs
      }
      // Letters, because the model now and then writes two words as one; a lost word would lack its letters.
      const heard = letters(
        words
          .filter(isHere)
          .map(word => word.text)
          .join(''),
      )
      lost += editDistance(heard, letters(text))
      total += letters(text).length
      // The word beside a seam must be there; a seam inside a sentence must leave it whole.
      const [begin, end, inside] = [
        seams.some(seam => Math.abs(seam - startMs) < 600),
        seams.some(seam => Math.abs(seam - endMs) < 900),
        seams.some(seam => seam > startMs + 600 && seam < endMs - 600),
      ]
      const said = letters(text)
      if (begin) expectLike(heard.slice(0, EDGE_LETTERS), said.slice(0, EDGE_LETTERS), startMs)
      if (end) expectLike(heard.slice(-EDGE_LETTERS), said.slice(-EDGE_LETTERS), endMs)
      if (inside) expectLike(heard, said, startMs)
    }
    expect(lost / total).toBeLessThan(0.08)
  })

  test.each([150_000, 900_000])(
    'and none where the connection is cut after %i bytes; nothing is transcribed twice',
    async bytes => {
      bench.network.cutAfterBytes = bytes
      const [broken] = await transcribe('kikuyu', [...SESSIONS, wav], 3)
      expect(bench.network.cutAfterBytes).toBe(Number.POSITIVE_INFINITY)
      expect(broken!.utterances).toEqual(whole.utterances)
    },
  )
})

/** As long as the words at the ends of the sentences are, about. */
const EDGE_LETTERS = 6

function expectLike(heard: string, said: string, atMs: number): void {
  expect(editDistance(heard, said) / said.length, `at ${atMs} ms: ${heard} for ${said}`).toBeLessThanOrEqual(
    0.5,
  )
}

function letters(text: string): string {
  return text.replaceAll(' ', '')
}

test('phrases and look-ahead are passed on; the texts of several files go into a folder', async () => {
  const [sample] = readSamples('ki')
  writeFileSync(path('phrases.txt'), 'mĩtaratara\nwathani\n\n')
  const { key } = await bench.customer()
  const env = { SAUTI_URL: bench.baseUrl, SAUTI_API_KEY: key, SAUTI_CA: path('ca.pem') }
  const options = ['--phrases', path('phrases.txt'), '--look-ahead', '6', '--output', folder]
  const { code } = await runSauti(['transcribe', '--model', 'ki', ...options, sample!.path], { env })
  expect(code).toBe(0)
  const text = readFileSync(path(`${basename(sample!.path, '.wav')}.txt`), 'utf8')
  expect(countWordErrors(text, sample!.text)).toBeLessThanOrEqual(2)
})
