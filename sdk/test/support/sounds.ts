// Sound made of noise and silence, for code that looks at energy only; and WAVE files of every kind.

const RATE_HZ = 16_000

/** Bursts like words and pauses between them, by length in milliseconds; a positive one is a burst. */
export function makeSpeech(partsMs: readonly number[], noiseAmplitude = 0): Int16Array<ArrayBuffer> {
  const total = partsMs.reduce((sum, ms) => sum + Math.abs(ms), 0)
  const samples = new Int16Array((total * RATE_HZ) / 1000)
  let [position, seed] = [0, 1]
  for (const ms of partsMs) {
    for (let n = 0; n < (Math.abs(ms) * RATE_HZ) / 1000; n++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      const noise = (seed / 1_073_741_824 - 1) * (ms > 0 ? 8_000 : noiseAmplitude)
      samples[position++] = noise
    }
  }
  return samples
}

export interface WavKind {
  readonly tag: 1 | 3
  readonly bits: number
  readonly channels: number
  readonly rateHz: number
  readonly extensible?: boolean
  /** What the header says of the length of the data, if it lies. */
  readonly claimedBytes?: number
}

/** Interleaves the same samples (-1 ... 1) into every channel. */
export function makeWav(samples: readonly number[], kind: WavKind): Buffer {
  const { bits, channels, rateHz } = kind
  const data = Buffer.alloc((samples.length * channels * bits) / 8)
  let offset = 0
  for (const sample of samples) {
    for (let channel = 0; channel < channels; channel++) offset = writeSample(data, offset, sample, kind)
  }
  const format = Buffer.alloc(kind.extensible ? 40 : 16)
  format.writeUInt16LE(kind.extensible ? 0xfffe : kind.tag, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(rateHz, 4)
  format.writeUInt32LE((rateHz * channels * bits) / 8, 8)
  format.writeUInt16LE((channels * bits) / 8, 12)
  format.writeUInt16LE(bits, 14)
  if (kind.extensible) format.writeUInt16LE(kind.tag, 24)
  const chunks = [
    chunk('note', Buffer.from('odd')),
    chunk('fmt ', format),
    chunk('data', data, kind.claimedBytes),
  ]
  const body = Buffer.concat([Buffer.from('WAVE'), ...chunks])
  return Buffer.concat([Buffer.from('RIFF'), uint32(body.length), body])
}

function chunk(name: string, content: Buffer, claimed = content.length): Buffer {
  return Buffer.concat([Buffer.from(name), uint32(claimed), content, Buffer.alloc(content.length % 2)])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function writeSample(data: Buffer, offset: number, sample: number, { tag, bits }: WavKind): number {
  if (tag === 3) return bits === 64 ? data.writeDoubleLE(sample, offset) : data.writeFloatLE(sample, offset)
  if (bits === 8) return data.writeUInt8(Math.round(sample * 128) + 128, offset)
  return data.writeIntLE(Math.round(sample * 2 ** (bits - 1)), offset, bits / 8)
}
