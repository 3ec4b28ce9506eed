import { expect, test } from 'vitest'
import { ByteReader } from '#cli/audio/byte-reader.js'
import { recogniseFormat } from '#cli/audio/known-formats.js'
import { readWav } from '#cli/audio/wav.js'
import { makeWav, type WavKind } from '../../../sdk/test/support/sounds.ts'

const SAMPLES = [0, 0.5, -0.5, 0.25, -1]

async function* inPieces(bytes: Buffer, length: number) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

async function read(bytes: Buffer, piece = 7) {
  const wav = await readWav(new ByteReader(inPieces(bytes, piece)))
  if (!wav) return undefined
  const samples: number[] = []
  for await (const part of wav.samples) samples.push(...part)
  return { ...wav, samples }
}

const kinds: WavKind[] = [
  { tag: 1, bits: 8, channels: 1, rateHz: 8_000 },
  { tag: 1, bits: 16, channels: 1, rateHz: 16_000 },
  { tag: 1, bits: 16, channels: 2, rateHz: 44_100 },
  { tag: 1, bits: 24, channels: 6, rateHz: 48_000, extensible: true },
  { tag: 1, bits: 32, channels: 2, rateHz: 96_000 },
  { tag: 3, bits: 32, channels: 2, rateHz: 48_000 },
  { tag: 3, bits: 64, channels: 1, rateHz: 22_050, extensible: true },
]

test.each(kinds)('reads $bits bits, $channels channels, $rateHz Hz, tag $tag', async kind => {
  const wav = await read(makeWav(SAMPLES, kind))
  expect(wav?.samples).toEqual(SAMPLES)
  expect(wav?.sampleRateHz).toBe(kind.rateHz)
  expect(wav?.durationMs).toBeCloseTo((SAMPLES.length / kind.rateHz) * 1000)
})

const plain: WavKind = { tag: 1, bits: 16, channels: 1, rateHz: 16_000 }

test.each([0, 0xffffffff])(
  'a stream whose length was not known when it began (%i) is read to its end',
  async claimedBytes => {
    const wav = await read(makeWav(SAMPLES, { ...plain, claimedBytes }))
    expect(wav?.samples).toEqual(SAMPLES)
    expect(wav?.durationMs).toBeUndefined()
  },
)

test('a file that was cut off gives what is there', async () => {
  const bytes = makeWav(SAMPLES, plain)
  expect((await read(bytes.subarray(0, bytes.length - 3)))?.samples).toEqual(SAMPLES.slice(0, 3))
})

test('an encoding that is not supported is left to others, damage is reported', async () => {
  const bytes = makeWav(SAMPLES, plain)
  bytes.writeUInt16LE(2, bytes.indexOf('fmt ') + 8)
  expect(await read(bytes)).toBeUndefined()
  await expect(read(makeWav([], plain).subarray(0, 30))).rejects.toThrow('no audio')
  await expect(read(makeWav(SAMPLES, { ...plain, rateHz: 1 }))).rejects.toThrow('damaged')
  expect(recogniseFormat(Buffer.from('ID3 is an mp3'))).toBe('other')
  expect(recogniseFormat(Buffer.from('RIFF....AVI is no WAVE'))).toBe('other')
  expect(recogniseFormat(Buffer.from('OggS and so on'))).toBe('other')
  expect(recogniseFormat(Buffer.from([0xff, 0xfb, 0x90, 0x44]))).toBe('other')
  expect(recogniseFormat(Buffer.from('....ftypM4A '))).toBe('other')
  expect(recogniseFormat(Buffer.alloc(16))).toBe('unknown')
  expect(recogniseFormat(Buffer.alloc(16, 0xff))).toBe('unknown')
  expect(recogniseFormat(Buffer.alloc(0))).toBe('unknown')
})
