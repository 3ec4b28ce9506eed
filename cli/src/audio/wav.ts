// A WAVE file, or a stream of one: finds the format and gives its sound as mono samples, whatever it was stored as.

import type { ByteReader } from './byte-reader.ts'
import { InputError } from './input-error.ts'

interface WavFormat {
  readonly encoding: 'integer' | 'float'
  readonly sampleRateHz: number
  readonly channels: number
  readonly bytesPerSample: number
}

export interface Wav extends WavFormat {
  /** Unknown where the file does not say, as in a stream that was still being written. */
  readonly durationMs: number | undefined
  /** Mono, -1 ... 1. */
  readonly samples: AsyncIterable<Float32Array>
}

const PCM = 1
const IEEE_FLOAT = 3
const EXTENSIBLE = 0xfffe
const UNKNOWN_LENGTH = 0xffffffff
const FRAMES_A_PIECE = 8_192

type ReadSample = (bytes: Buffer, offset: number) => number
/** By encoding and bytes per sample; in WAVE, 8-bit samples are unsigned. */
const SAMPLE_READERS: Record<string, ReadSample> = {
  integer1: (bytes, offset) => (bytes.readUInt8(offset) - 128) / 128,
  integer2: (bytes, offset) => bytes.readInt16LE(offset) / 32_768,
  integer3: (bytes, offset) => bytes.readIntLE(offset, 3) / 8_388_608,
  integer4: (bytes, offset) => bytes.readInt32LE(offset) / 2_147_483_648,
  float4: (bytes, offset) => bytes.readFloatLE(offset),
  float8: (bytes, offset) => bytes.readDoubleLE(offset),
}

/** Undefined for a WAVE of an encoding that is not read here, such as ADPCM. */
export async function readWav(reader: ByteReader): Promise<Wav | undefined> {
  await reader.skip(12)
  let format: WavFormat | undefined
  for (;;) {
    const header = await reader.read(8)
    if (header.length < 8) throw new InputError('the WAVE file has no sound in it')
    const [name, length] = [header.toString('latin1', 0, 4), header.readUInt32LE(4)]
    if (name === 'data') return format && openData(reader, format, length)
    // Chunks are padded to an even length.
    const content = name === 'fmt ' ? await reader.read(length + (length % 2)) : undefined
    if (content) format = parseFormat(content)
    else await reader.skip(length + (length % 2))
    if (content && !format) return undefined
  }
}

function parseFormat(content: Buffer): WavFormat | undefined {
  if (content.length < 16) throw new InputError('the WAVE file is damaged: its format is cut off')
  const tag = content.readUInt16LE(0)
  // The extensible form keeps the real tag at the head of a longer identifier.
  const encoding = tag === EXTENSIBLE && content.length >= 26 ? content.readUInt16LE(24) : tag
  const format: WavFormat = {
    encoding: encoding === IEEE_FLOAT ? 'float' : 'integer',
    channels: content.readUInt16LE(2),
    sampleRateHz: content.readUInt32LE(4),
    bytesPerSample: Math.ceil(content.readUInt16LE(14) / 8),
  }
  const known = encoding === PCM || encoding === IEEE_FLOAT
  if (!known || !sampleReader(format)) return undefined
  const sane = format.channels > 0 && format.sampleRateHz >= 4_000 && format.sampleRateHz <= 768_000
  if (!sane) throw new InputError('the WAVE file is damaged: it names no channels or no possible sample rate')
  return format
}

function sampleReader({ encoding, bytesPerSample }: WavFormat): ReadSample | undefined {
  return SAMPLE_READERS[`${encoding}${bytesPerSample}`]
}

function openData(reader: ByteReader, format: WavFormat, length: number): Wav {
  const frameBytes = format.bytesPerSample * format.channels
  // A stream that was written before its length was known says 0 or the largest number.
  const known = length !== 0 && length !== UNKNOWN_LENGTH
  const frames = known ? Math.floor(length / frameBytes) : Number.POSITIVE_INFINITY
  return {
    ...format,
    durationMs: known ? (frames / format.sampleRateHz) * 1000 : undefined,
    samples: readFrames(reader, format, frames),
  }
}

async function* readFrames(
  reader: ByteReader,
  format: WavFormat,
  frames: number,
): AsyncGenerator<Float32Array> {
  const frameBytes = format.bytesPerSample * format.channels
  for (let left = frames; left > 0; ) {
    const bytes = await reader.read(Math.min(left, FRAMES_A_PIECE) * frameBytes)
    const count = Math.floor(bytes.length / frameBytes)
    if (count === 0) return
    yield mixFrames(bytes, format, count)
    left -= count
  }
}

function mixFrames(bytes: Buffer, format: WavFormat, count: number): Float32Array {
  const { channels, bytesPerSample } = format
  const readSample = sampleReader(format)!
  const mono = new Float32Array(count)
  for (let frame = 0, offset = 0; frame < count; frame++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++, offset += bytesPerSample)
      sum += readSample(bytes, offset)
    mono[frame] = sum / channels
  }
  return mono
}
