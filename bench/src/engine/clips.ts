// Speech to measure with: the samples of the bundled models.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSpeech } from '@sauti/server/files/wav.js'

export const SAMPLES = fileURLToPath(new URL('../../../models/samples', import.meta.url))
/** Sentences with rare names. */
export const NAMES = fileURLToPath(new URL('../../../server/test/fixtures/names', import.meta.url))

const clips = readdirSync(SAMPLES)
  .filter(name => name.endsWith('.wav'))
  .sort()
  .map(name => readWav(join(SAMPLES, name)))

/** One signal of this many samples: all clips one after the other, repeated. */
export function speech(samples: number): Int16Array {
  const signal = new Int16Array(samples)
  for (let at = 0, i = 0; at < samples; i++) {
    const part = clips[i % clips.length]!.subarray(0, samples - at)
    signal.set(part, at)
    at += part.length
  }
  return signal
}

export function readWav(path: string): Int16Array {
  return readSpeech(readFileSync(path))
}

/** names.json says how the bytes of the names become samples. */
export function expand(values: Int8Array): Int16Array {
  return Int16Array.from(values, v => ((Math.sign(v) * (256 ** (Math.abs(v) / 127) - 1)) / 255) * 32_767)
}
