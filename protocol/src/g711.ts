// The two telephone codes of ITU-T G.711, decoded by table: each byte is one sample of 13 or 14 bits, on a logarithmic scale. For streams and
// for files.

const ALAW_EVEN_BITS = 0x55
const MULAW_BIAS = 0x84

/** 256 values between -1 and 1. */
export type ByteTable = Float32Array

export const MULAW_SAMPLES: ByteTable = tableOf(decodeMulaw)
export const ALAW_SAMPLES: ByteTable = tableOf(decodeAlaw)

function tableOf(decode: (byte: number) => number): ByteTable {
  return Float32Array.from({ length: 256 }, (_, byte) => decode(byte) / 32_768)
}

/** All bits are sent inverted: sign, three bits of exponent, four of mantissa. */
function decodeMulaw(byte: number): number {
  const bits = ~byte & 0xff
  const magnitude = ((((bits & 0x0f) << 3) + MULAW_BIAS) << ((bits & 0x70) >> 4)) - MULAW_BIAS
  return (bits & 0x80) === 0 ? magnitude : -magnitude
}

/** The even bits are sent inverted. The lowest of the eight segments is linear. */
function decodeAlaw(byte: number): number {
  const bits = byte ^ ALAW_EVEN_BITS
  const exponent = (bits & 0x70) >> 4
  const mantissa = ((bits & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return (bits & 0x80) === 0 ? -magnitude : magnitude
}
