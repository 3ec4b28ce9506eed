// A WAVE file, or a stream of one, as mono samples, whatever it was stored as.

import { readWavHead, WavError, type WavFormat, type WavHead } from '@sauti/server/files/wav.js'
import type { ByteReader } from './byte-reader.ts'
import { InputError } from './input-error.ts'

export interface Wav extends WavFormat {
  /** Unknown where the file does not say, as in a stream that was still being written. */
  readonly durationMs: number | undefined
  /** Mono, -1 ... 1. */
  readonly samples: AsyncIterable<Float32Array>
}

const FIRST_PEEK_BYTES = 4_096
/** Pictures and notes may come before the sound; a file that has more of them than this is damaged. */
const MAX_HEAD_BYTES = 64 * 2 ** 20
const FRAMES_PER_PIECE = 8_192

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
  for (let length = FIRST_PEEK_BYTES; length <= MAX_HEAD_BYTES; length *= 4) {
    const bytes = await reader.peek(length)
    const head = readHead(bytes)
    if (head === 'unsupported') return undefined
    if (head !== 'incomplete') {
      await reader.skip(head.soundStart)
      return openSound(reader, head)
    }
    if (bytes.length < length) break
  }
  throw new InputError('it contains no audio')
}

function readHead(bytes: Buffer): ReturnType<typeof readWavHead> {
  try {
    return readWavHead(bytes)
  } catch (error) {
    if (error instanceof WavError) throw new InputError(error.message, error)
    throw error
  }
}

function openSound(reader: ByteReader, head: WavHead): Wav {
  const { soundBytes, soundStart: _, ...format } = head
  const frameBytes = format.bytesPerSample * format.channels
  const frames = soundBytes === undefined ? undefined : Math.floor(soundBytes / frameBytes)
  return {
    ...format,
    durationMs: frames === undefined ? undefined : (frames / format.sampleRateHz) * 1000,
    samples: readFrames(reader, format, frames ?? Number.POSITIVE_INFINITY),
  }
}

async function* readFrames(
  reader: ByteReader,
  format: WavFormat,
  frames: number,
): AsyncGenerator<Float32Array> {
  const frameBytes = format.bytesPerSample * format.channels
  for (let left = frames; left > 0; ) {
    const bytes = await reader.read(Math.min(left, FRAMES_PER_PIECE) * frameBytes)
    const count = Math.floor(bytes.length / frameBytes)
    if (count === 0) return
    yield mixFrames(bytes, format, count)
    left -= count
  }
}

function mixFrames(bytes: Buffer, format: WavFormat, count: number): Float32Array {
  const { channels, bytesPerSample, encoding } = format
  const readSample = SAMPLE_READERS[`${encoding}${bytesPerSample}`]!
  const mono = new Float32Array(count)
  for (let frame = 0, offset = 0; frame < count; frame++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++, offset += bytesPerSample)
      sum += readSample(bytes, offset)
    mono[frame] = sum / channels
  }
  return mono
}
