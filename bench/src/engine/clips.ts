// Speech to measure with: the samples of the bundled models.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const SAMPLES = fileURLToPath(new URL('../../../models/samples', import.meta.url))
/** Sentences with rare names. */
export const NAMES = fileURLToPath(new URL('../../../server/test/fixtures/names', import.meta.url))
const WAV_HEADER_BYTES = 44

const clips = readdirSync(SAMPLES)
  .filter(name => name.endsWith('.wav'))
  .sort()
  .map(name => readWav(join(SAMPLES, name)))

/** One signal of so many samples: all clips behind each other, again and again. */
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
  const bytes = readFileSync(path)
  const pcm = bytes.subarray(WAV_HEADER_BYTES)
  return new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length - (pcm.length % 2)))
}

/** How the bytes of the names become samples stands in names.json. */
export function expand(values: Int8Array): Int16Array {
  return Int16Array.from(values, v => ((Math.sign(v) * (256 ** (Math.abs(v) / 127) - 1)) / 255) * 32_767)
}
