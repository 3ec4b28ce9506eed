// Weights of low-pass filters: a sinc under Kaiser's window.

/** 75 dB of stop band, a margin over the 60 dB that the resampler promises. */
const STOP_BAND_DB = 75
const BETA = 0.1102 * (STOP_BAND_DB - 8.7)

/** How far a filter reaches to either side, in samples, for a slope of this width. Frequencies are in parts of the sample rate. */
export function reachFor(slope: number): number {
  return (STOP_BAND_DB - 8) / (2.285 * 2 * Math.PI * slope) / 2
}

/** The weight of a sample at this distance, before all weights are divided by their sum. */
export function weightAt(distance: number, reach: number, cutoff: number): number {
  const edge = distance / reach
  const window = besselI0(BETA * Math.sqrt(Math.max(0, 1 - edge * edge)))
  return window * sinc(2 * cutoff * distance)
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** Modified Bessel function of the first kind, order 0, by its series. */
function besselI0(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / 2 / k) ** 2
    sum += term
  }
  return sum
}
