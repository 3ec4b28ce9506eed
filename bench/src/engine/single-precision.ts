// Features as an engine has them that computes in 32 bits, as sherpa-onnx does: how far apart two right answers are.

import { melFilters } from '@sauti/server/recogniser/engine/features/mel-filters.js'

const HOP = 160
const WINDOW = 400
const FFT = 512
const PRE_EMPHASIS = 0.97
const LOG_GUARD = 2 ** -24
const { fround } = Math

const hann = Float32Array.from(
  { length: WINDOW },
  (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / (WINDOW - 1)),
)
const cos = Float32Array.from({ length: FFT / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / FFT))
const sin = Float32Array.from({ length: FFT / 2 }, (_, k) => -Math.sin((2 * Math.PI * k) / FFT))

/** Log-mel of the frames that end with sample 160 (t + 1), frame by frame. */
export function singlePrecisionLogMel(audio: Int16Array, frames: number, bins: number): Float32Array {
  const { first, offset, weights } = melFilters(bins)
  const features = new Float32Array(frames * bins)
  for (let frame = 0; frame < frames; frame++) {
    const powers = powerSpectrum(audio, (frame + 1) * HOP - WINDOW)
    for (let bin = 0; bin < bins; bin++) {
      let energy = 0
      for (let i = offset[bin]!; i < offset[bin + 1]!; i++) {
        energy = fround(energy + fround(powers[first[bin]! + i - offset[bin]!]! * fround(weights[i]!)))
      }
      features[frame * bins + bin] = Math.log(fround(energy + LOG_GUARD))
    }
  }
  return features
}

function powerSpectrum(audio: Int16Array, start: number): Float32Array {
  const re = new Float32Array(FFT)
  for (let i = 0; i < WINDOW; i++) {
    const emphasised = fround(sample(audio, start + i) - fround(PRE_EMPHASIS * sample(audio, start + i - 1)))
    re[i] = emphasised * hann[i]!
  }
  const im = new Float32Array(FFT)
  transform(re, im)
  return re.map((value, i) => fround(value * value) + fround(im[i]! * im[i]!))
}

function sample(audio: Int16Array, at: number): number {
  return (audio[at] ?? 0) / 32_768
}

/** The plainest transform: bits of the places reversed, then radix 2. Every value that is stored is rounded to 32 bits. */
function transform(re: Float32Array, im: Float32Array): void {
  for (let i = 0, j = 0; i < FFT; i++) {
    if (i < j) [re[i], re[j]] = [re[j]!, re[i]!]
    let bit = FFT >> 1
    for (; bit > 0 && j & bit; bit >>= 1) j ^= bit
    j |= bit
  }
  for (let size = 2; size <= FFT; size *= 2) {
    for (let a = 0; a < FFT; a++) {
      if (a & (size >> 1)) continue
      const b = a + (size >> 1)
      const t = (a & (size - 1)) * (FFT / size)
      const turnR = fround(fround(re[b]! * cos[t]!) - fround(im[b]! * sin[t]!))
      const turnI = fround(fround(re[b]! * sin[t]!) + fround(im[b]! * cos[t]!))
      re[b] = re[a]! - turnR
      im[b] = im[a]! - turnI
      re[a] = re[a]! + turnR
      im[a] = im[a]! + turnI
    }
  }
}
