// Audio of other formats: what comes out is as long as what went in, however it was cut, and sounds the same.

import { SAMPLE_RATES_HZ } from '@sauti/protocol/audio'
import { ALAW_SAMPLES, MULAW_SAMPLES } from '@sauti/protocol/g711'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AudioFormat, IncomingAudio } from '#server/stream/audio/incoming-audio.js'

function convert(format: AudioFormat, bytes: Uint8Array, cuts: readonly number[]): Int16Array {
  const audio = new IncomingAudio(format)
  const pieces: Uint8Array[] = []
  let at = 0
  for (const cut of cuts) {
    pieces.push(Uint8Array.from(audio.push(bytes.subarray(at, at + cut))))
    at += cut
  }
  pieces.push(Uint8Array.from(audio.push(bytes.subarray(at))), audio.flush())
  const joined = Uint8Array.from(Buffer.concat(pieces))
  return new Int16Array(joined.buffer)
}

/** A tone of 440 Hz at half of full scale. */
function tone(sampleRateHz: number, seconds: number): Int16Array {
  return Int16Array.from({ length: sampleRateHz * seconds }, (_, n) =>
    Math.round(16_384 * Math.sin((2 * Math.PI * 440 * n) / sampleRateHz)),
  )
}

/** The largest difference, away from the ends. */
function distance(heard: Int16Array, expected: Int16Array): number {
  const inner = heard.subarray(800, -800)
  return inner.reduce((most, value, n) => Math.max(most, Math.abs(value - expected[n + 800]!)), 0)
}

describe('G.711', () => {
  it('has the values of the recommendation', () => {
    const mulaw = (byte: number) => MULAW_SAMPLES[byte]! * 32_768
    expect([0x00, 0x80, 0x7f, 0xff, 0x8f].map(mulaw)).toEqual([-32_124, 32_124, -0, 0, 16_764])
    const alaw = (byte: number) => ALAW_SAMPLES[byte]! * 32_768
    expect([0x2a, 0xaa, 0x55, 0xd5].map(alaw)).toEqual([-32_256, 32_256, -8, 8])
  })
})

describe('audio of other formats', () => {
  it.each(SAMPLE_RATES_HZ)('at %i Hz lasts as long and sounds the same at 16 kHz', sampleRateHz => {
    const bytes = new Uint8Array(tone(sampleRateHz, 1).buffer)
    const heard = convert({ encoding: 'pcm_s16le', sampleRateHz, channels: 1 }, bytes, [])
    expect(heard.length).toBe(16_000)
    expect(distance(heard, tone(16_000, 1))).toBeLessThan(40)
  })

  it('in two channels is their mean', () => {
    const mono = tone(16_000, 1)
    const stereo = Int16Array.from({ length: 32_000 }, (_, n) => (n % 2 === 0 ? mono[n / 2]! : 0))
    const format = { encoding: 'pcm_s16le', sampleRateHz: 16_000, channels: 2 } as const
    const heard = convert(format, new Uint8Array(stereo.buffer), [])
    expect(
      distance(
        heard,
        mono.map(value => value / 2),
      ),
    ).toBeLessThan(2)
  })

  it('is the same however it is cut', () => {
    const bytes = Uint8Array.from({ length: 3_000 }, (_, n) => (n * 37) % 251)
    const formats: AudioFormat[] = [
      { encoding: 'pcm_s16le', sampleRateHz: 24_000, channels: 1 },
      { encoding: 'pcm_s16le', sampleRateHz: 44_100, channels: 3 },
      { encoding: 'mulaw', sampleRateHz: 8_000, channels: 1 },
      { encoding: 'alaw', sampleRateHz: 8_000, channels: 2 },
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...formats),
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 8 }),
        (format, cuts) => {
          expect(convert(format, bytes, cuts)).toEqual(convert(format, bytes, []))
        },
      ),
    )
  })
})
