// Step 5: triangles of equal area on the Slaney mel scale, 0 to 8000 Hz, kept sparse: a triangle covers few of the 257 powers.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { FFT_SIZE, SPECTRUM_SIZE } from './power-spectrum.ts'

/** Linear below 1 kHz, logarithmic above. */
const BREAK_HZ = 1000
const BREAK_MEL = 15
const LOG_STEP = Math.log(6.4) / 27

export interface MelFilters {
  readonly bins: number
  /** First power that bin b weighs. */
  readonly first: Uint16Array
  /** Where the weights of bin b begin; those of the next bin follow. */
  readonly offset: Uint16Array
  readonly weights: Float64Array
}

export function melFilters(bins: number): MelFilters {
  const edges = Array.from({ length: bins + 2 }, (_, i) =>
    melToHz((hzToMel(SAMPLE_RATE_HZ / 2) * i) / (bins + 1)),
  )
  const first = new Uint16Array(bins)
  const offset = new Uint16Array(bins + 1)
  const weights: number[] = []
  for (let bin = 0; bin < bins; bin++) {
    const triangle = triangleWeights(edges[bin]!, edges[bin + 1]!, edges[bin + 2]!)
    first[bin] = triangle.first
    weights.push(...triangle.weights)
    offset[bin + 1] = weights.length
  }
  return { bins, first, offset, weights: Float64Array.from(weights) }
}

function triangleWeights(low: number, middle: number, high: number): { first: number; weights: number[] } {
  const weights: number[] = []
  let first = 0
  for (let k = 0; k < SPECTRUM_SIZE; k++) {
    const hz = (k * SAMPLE_RATE_HZ) / FFT_SIZE
    const height = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle))
    if (height <= 0) continue
    if (weights.length === 0) first = k
    weights.push((height * 2) / (high - low))
  }
  return { first, weights }
}

function hzToMel(hz: number): number {
  return hz < BREAK_HZ ? (hz * BREAK_MEL) / BREAK_HZ : BREAK_MEL + Math.log(hz / BREAK_HZ) / LOG_STEP
}

function melToHz(mel: number): number {
  return mel < BREAK_MEL ? (mel * BREAK_HZ) / BREAK_MEL : BREAK_HZ * Math.exp((mel - BREAK_MEL) * LOG_STEP)
}
