// Speech to measure with: the clips beside the server's tests, or noise with the rhythm of speech where there are none.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CLIPS = fileURLToPath(new URL('../../../server/test/fixtures/clips', import.meta.url))
const WAV_HEADER_BYTES = 44

/** One long signal of at least so many samples: all clips behind each other, again and again. */
export function speech(samples: number): Int16Array {
  const clips = existsSync(CLIPS) ? readdirSync(CLIPS, { recursive: true, encoding: 'utf8' }) : []
  const parts = clips
    .filter(name => name.endsWith('.wav'))
    .sort()
    .map(name => readWav(join(CLIPS, name)))
  if (parts.length === 0) return babble(samples)
  const signal = new Int16Array(samples)
  for (let at = 0, i = 0; at < samples; i++) {
    const part = parts[i % parts.length]!.subarray(0, samples - at)
    signal.set(part, at)
    at += part.length
  }
  return signal
}

function readWav(path: string): Int16Array {
  const bytes = readFileSync(path)
  const pcm = bytes.subarray(WAV_HEADER_BYTES)
  return new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length - (pcm.length % 2)))
}

function babble(samples: number): Int16Array {
  let state = 1
  return Int16Array.from({ length: samples }, (_, n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state / 2 ** 31 - 0.5) * 12_000 * Math.max(0, Math.sin((n / 16_000) * 6 * Math.PI))
  })
}
