// Sound to measure with: what every measure and mixture has in common. Samples are floats of 16-bit size until the end.

import { SAMPLES_PER_MS } from '@sauti/protocol/audio'

const HOP_MS = 10
const HOP_SAMPLES = HOP_MS * SAMPLES_PER_MS

export type Sound = Float32Array

/** Of 16-bit samples, wherever in its buffer they begin. */
export function soundOf(bytes: Uint8Array): Sound {
  return Float32Array.from(new Int16Array(new Uint8Array(bytes).buffer))
}

export function powerOf(samples: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < samples.length; i++) sum += samples[i]! * samples[i]!
  return sum / Math.max(1, samples.length)
}

/** The level of every 10 ms, in dB. */
export function levelsDb(samples: Sound): number[] {
  return Array.from({ length: Math.floor(samples.length / HOP_SAMPLES) }, (_, hop) => {
    const part = samples.subarray(hop * HOP_SAMPLES, (hop + 1) * HOP_SAMPLES)
    return 10 * Math.log10(powerOf(part) + 1)
  })
}

export function concatenate(parts: readonly Sound[]): Sound {
  const whole = new Float32Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Both together; the second is heard from this sample on, repeated or cut to the length of the first, and scaled. */
export function mix(sound: Sound, other: Sound, gain: number, from = 0): Sound {
  return sound.map((sample, i) => sample + gain * other[(from + i) % other.length]!)
}

export function toPcm16(sound: Sound): Int16Array {
  return Int16Array.from(sound, sample => Math.max(-32_768, Math.min(32_767, Math.round(sample))))
}
