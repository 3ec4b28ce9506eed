// What is heard beside the speech: noise, music and breath made here.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { randomNumbers } from '../engine/random.ts'
import type { Scene } from './scenes.ts'
import { mix, powerOf, type Sound } from './sound.ts'

const TAU = 2 * Math.PI

/** Noise with more low than high tones, as in rooms and streets. */
export function hiss(seconds: number, seed: number): Sound {
  const random = randomNumbers(seed)
  let slow = 0
  return Float32Array.from({ length: seconds * SAMPLE_RATE_HZ }, () => {
    const white = random() * 2 - 1
    slow += 0.05 * (white - slow)
    return 3_000 * (slow * 4 + white * 0.3)
  })
}

/** Chords of plucked strings over a beat. */
export function music(seconds: number, seed: number): Sound {
  const random = randomNumbers(seed)
  const sound = new Float32Array(seconds * SAMPLE_RATE_HZ)
  const scale = [0, 2, 4, 7, 9, 12, 14, 16]
  for (let beat = 0; beat < seconds * 2; beat++) {
    const start = beat * SAMPLE_RATE_HZ * 0.5
    for (let voice = 0; voice < 3; voice++) {
      const step = scale[Math.floor(random() * scale.length)]! - 12 * voice
      pluck(sound, start, 261.6 * 2 ** (step / 12), 2_500)
    }
    for (let i = 0; i < 800; i++) addAt(sound, start + i, (random() * 2 - 1) * 2_000 * Math.exp(-i / 200))
  }
  return sound
}

function pluck(sound: Sound, start: number, hz: number, loudness: number): void {
  for (let i = 0; i < SAMPLE_RATE_HZ * 1.5; i++) {
    const time = i / SAMPLE_RATE_HZ
    let value = 0
    for (let harmonic = 1; harmonic <= 6; harmonic++)
      value += (Math.sin(TAU * hz * harmonic * time) / harmonic) * Math.exp(-time * (1.5 + harmonic))
    addAt(sound, start + i, loudness * value)
  }
}

function addAt(sound: Sound, index: number, value: number): void {
  if (index < sound.length) sound[Math.floor(index)]! += value
}

/** In and out every three seconds. */
export function breath(seconds: number, seed: number): Sound {
  const noise = hiss(seconds, seed)
  return noise.map((sample, i) => {
    const phase = (i / SAMPLE_RATE_HZ) % 3
    const isBreath = phase < 1.1 || (phase > 1.4 && phase < 2.6)
    return isBreath
      ? sample * Math.sin((TAU / 2) * (phase < 1.1 ? phase / 1.1 : (phase - 1.4) / 1.2)) ** 2
      : 0
  })
}

/** The scene with the other sound, which is this many dB below the speech and begins at another place in every scene. */
export function disturb({ sound, speechPower, noiseFrom }: Scene, other: Sound, belowDb: number): Sound {
  const gain = Math.sqrt(speechPower / Math.max(1e-9, powerOf(other)) / 10 ** (belowDb / 10))
  return mix(sound, other, gain, Math.floor(noiseFrom * other.length))
}
