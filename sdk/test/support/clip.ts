// A known clip for whoever plays one.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { makeSpeech, makeWav } from '../../../cli/test/support/sounds.ts'

const speech = makeSpeech([400, -60, 700, -80, 500, -60, 900, -1_500], 20)
const path = join(mkdtempSync(join(tmpdir(), 'sauti-clip-')), 'clip.wav')
writeFileSync(
  path,
  makeWav(
    Array.from(speech, sample => sample / 32_768),
    { tag: 1, bits: 16, channels: 1, rateHz: 16_000 },
  ),
)

export const CLIP = {
  path,
  model: 'svc-asr-kikuyu-v1',
  durationMs: speech.length / 16,
  expectText(text: string): void {
    expect(text).toMatch(/ra/)
  },
}
