// A known clip to play: a sample of the bundled models.

import { expect } from 'vitest'
import { countWordErrors, MODELS_DIR, readSamples } from '../../../server/test/support/recogniser/samples.ts'

const sample = readSamples('ki').at(-1)!

export const CLIP = {
  path: sample.path,
  model: sample.model,
  pcm: sample.pcm,
  text: sample.text,
  expectText(heard: string): void {
    expect(countWordErrors(heard, sample.text), `"${heard}" for "${sample.text}"`).toBeLessThanOrEqual(2)
  },
}

/** For a service that must understand it. */
export const REAL_MODELS = { SAUTI_MODELS_DIR: MODELS_DIR }
