import { readFileSync } from 'node:fs'
import { readSpeech, readWavHead } from '@sauti/server/files/wav.js'
import { describe, expect, it } from 'vitest'
import { makeWav, type WavKind } from '../../../sdk/test/support/sounds.ts'

const speech: WavKind = { tag: 1, bits: 16, channels: 1, rateHz: 16_000 }

describe('a WAVE file of speech', () => {
  it('gives its samples, whatever comes before and after them', () => {
    const wav = Buffer.concat([makeWav([0, 0.5, -1], speech), Buffer.from('LIST\x04\0\0\0note')])
    expect([...readSpeech(wav)]).toEqual([0, 16_384, -32_768])
  })

  it('is read to its end where it does not say how long it is', () => {
    expect(readSpeech(makeWav([0.5, 0.5], { ...speech, claimedBytes: 0 }))).toHaveLength(2)
  })

  it.each<[string, Partial<WavKind>]>([
    ['stereo', { channels: 2 }],
    ['another rate', { rateHz: 8_000 }],
    ['24 bits', { bits: 24 }],
    ['floats', { tag: 3, bits: 32 }],
  ])('is refused where it has %s', (_, kind) => {
    expect(() => readSpeech(makeWav([0], { ...speech, ...kind }))).toThrow('not a mono 16-bit 16 kHz')
  })

  it('is incomplete until its sound begins', () => {
    const wav = readFileSync(new URL('../../../models/samples/kikuyu-1.wav', import.meta.url))
    expect(readWavHead(wav.subarray(0, 40))).toBe('incomplete')
    expect(readWavHead(wav.subarray(0, 44))).toMatchObject({ soundStart: 44, soundBytes: wav.length - 44 })
  })
})
