// Step 5: the natural logarithm of a positive number, several times as quick as Math.log and exact to the last bits of a 32-bit float,
// which is what features are.

const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)
const MANTISSA = 0x007f_ffff
const MANTISSA_BITS = 23
const ONE = 0x3f80_0000

/** The mantissa, 1 to 2, is cut into this many steps; for each the inverse of its middle and that middle's logarithm. */
const STEP_BITS = 7
const INVERSES = Float64Array.from(
  { length: 2 ** STEP_BITS },
  (_, step) => 1 / (1 + (step + 0.5) / 2 ** STEP_BITS),
)
const LOGARITHMS = INVERSES.map(inverse => -Math.log(inverse))

export function logarithm(value: number): number {
  float[0] = value
  const word = bits[0]!
  bits[0] = (word & MANTISSA) | ONE
  const step = (word & MANTISSA) >> (MANTISSA_BITS - STEP_BITS)
  // What the step leaves of the mantissa is within 0.004 of 1: three terms of the series leave an error below 1e-10.
  const rest = float[0]! * INVERSES[step]! - 1
  const exponent = (word >> MANTISSA_BITS) - 127
  return exponent * Math.LN2 + LOGARITHMS[step]! + rest * (1 - rest * (1 / 2 - rest / 3))
}
