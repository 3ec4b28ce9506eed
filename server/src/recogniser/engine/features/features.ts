// Step 5: PCM becomes log-mel features. Frame t ends with sample 160 (t + 1) and reaches 400 samples back, so a chunk's frames are
// complete with the chunk's last sample and no step is ever late. Tables and scratch are shared by all streams of an engine.

import type { FeatureFacts } from '../../package/manifest.ts'
import { logarithm } from './logarithm.ts'
import { melFilters } from './mel-filters.ts'
import { PowerSpectrum, SPECTRUM_SIZE } from './power-spectrum.ts'
import { SpeechLevel } from './speech-level.ts'

export const HOP_SAMPLES = 160
const WINDOW_SAMPLES = 400
const OVERLAP_SAMPLES = WINDOW_SAMPLES - HOP_SAMPLES
const PRE_EMPHASIS = 0.97
const LOG_GUARD = 2 ** -24
const INT16_SCALE = 1 / 32_768

/** What one stream carries from one piece of audio to the next. */
export interface FeatureState {
  readonly overlap: Float64Array
  readonly level: SpeechLevel
  previous: number
}

export function newFeatureState(): FeatureState {
  return { overlap: new Float64Array(OVERLAP_SAMPLES), level: new SpeechLevel(), previous: 0 }
}

export class LogMel {
  readonly bins: number
  readonly #levelDb: number | undefined
  readonly #filters
  readonly #spectrum = new PowerSpectrum(hann(WINDOW_SAMPLES))
  readonly #powers = new Float64Array(SPECTRUM_SIZE)
  readonly #signal: Float64Array

  constructor({ mel_bins, speech_level_db }: FeatureFacts, maxSamples: number) {
    this.bins = mel_bins
    this.#levelDb = speech_level_db
    this.#filters = melFilters(mel_bins)
    this.#signal = new Float64Array(OVERLAP_SAMPLES + maxSamples)
  }

  /**
   * Turns whole hops of samples into frames. `out` is [bins, columns] with time innermost, as the encoder wants it; the first new
   * frame goes to `column`. Samples past the end of the array count as silence. What is written in one call is raised by the same amount.
   */
  write(
    state: FeatureState,
    samples: Int16Array,
    frames: number,
    out: Float32Array,
    columns: number,
    column: number,
  ): void {
    const heard = samples.subarray(0, frames * HOP_SAMPLES)
    const raise = this.#levelDb === undefined ? 0 : state.level.raise(heard, this.#levelDb)
    this.#preEmphasise(state, heard, frames * HOP_SAMPLES)
    for (let frame = 0; frame < frames; frame++) {
      this.#spectrum.compute(this.#signal, frame * HOP_SAMPLES, this.#powers)
      this.#writeBins(out, columns, column + frame, raise)
    }
    const end = frames * HOP_SAMPLES
    state.overlap.set(this.#signal.subarray(end, end + OVERLAP_SAMPLES))
  }

  #preEmphasise(state: FeatureState, samples: Int16Array, length: number): void {
    const signal = this.#signal
    signal.set(state.overlap)
    const given = samples.length
    let previous = state.previous
    for (let i = 0; i < given; i++) {
      const sample = samples[i]! * INT16_SCALE
      signal[OVERLAP_SAMPLES + i] = sample - PRE_EMPHASIS * previous
      previous = sample
    }
    if (given < length) {
      signal.fill(0, OVERLAP_SAMPLES + given, OVERLAP_SAMPLES + length)
      signal[OVERLAP_SAMPLES + given] = -PRE_EMPHASIS * previous
      previous = 0
    }
    state.previous = previous
  }

  #writeBins(out: Float32Array, columns: number, column: number, raise: number): void {
    const { bins, first, offset, weights } = this.#filters
    const powers = this.#powers
    for (let bin = 0; bin < bins; bin++) {
      const from = offset[bin]!
      const length = offset[bin + 1]! - from
      const start = first[bin]!
      let energy = LOG_GUARD
      for (let i = 0; i < length; i++) energy += powers[start + i]! * weights[from + i]!
      out[bin * columns + column] = logarithm(energy) + raise
    }
  }
}

function hann(length: number): Float64Array {
  return Float64Array.from({ length }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / (length - 1)))
}
