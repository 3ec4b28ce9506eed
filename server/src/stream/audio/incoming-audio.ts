// What clients send in other formats, turned into the audio of the wire: mono 16 kHz PCM16. It happens before gate and meter, so what is
// billed is the time that the audio lasts, whatever its format.

import { floatToPcm16, type Resampler } from '@sauti/client/speech'
import {
  BYTES_PER_SAMPLE,
  SAMPLE_RATE_HZ,
  type SampleRateHz,
  type StreamEncoding,
} from '@sauti/protocol/audio'
import { ALAW_SAMPLES, type ByteTable, MULAW_SAMPLES } from '@sauti/protocol/g711'
import { createResampler } from '../../sound/resample.ts'

export const MAX_CHANNELS = 8

/** Samples one after the other; Opus comes in packets instead. */
export type SampleEncoding = Exclude<StreamEncoding, 'opus'>

export interface AudioFormat {
  readonly encoding: SampleEncoding
  readonly sampleRateHz: SampleRateHz
  /** Interleaved; the recogniser hears their mean. */
  readonly channels: number
}

const NOTHING = new Uint8Array(0)
const PCM_FULL_SCALE = 32_768

/** How many bytes one second takes. */
export function bytesPerSecond({ encoding, sampleRateHz, channels }: AudioFormat): number {
  return sampleRateHz * channels * bytesPerSample(encoding)
}

function bytesPerSample(encoding: SampleEncoding): number {
  return encoding === 'pcm_s16le' ? BYTES_PER_SAMPLE : 1
}

/** Takes bytes however they are cut. */
export class IncomingAudio {
  readonly #format: AudioFormat
  readonly #isWireFormat: boolean
  readonly #frameBytes: number
  readonly #resampler: Resampler
  /** The beginning of a frame of samples whose rest comes with the next bytes. */
  #carried: Uint8Array = NOTHING

  constructor(format: AudioFormat) {
    const { encoding, sampleRateHz, channels } = format
    this.#format = format
    this.#isWireFormat = encoding === 'pcm_s16le' && sampleRateHz === SAMPLE_RATE_HZ && channels === 1
    this.#frameBytes = bytesPerSample(encoding) * channels
    this.#resampler = createResampler(sampleRateHz, SAMPLE_RATE_HZ)
  }

  /** The audio of the wire that is known by now; the filter keeps the last few milliseconds back. */
  push(bytes: Uint8Array): Uint8Array {
    if (this.#isWireFormat) return bytes
    const whole = this.#takeWhole(bytes)
    if (whole.length === 0) return NOTHING
    return asBytes(this.#resampler.push(decode(whole, this.#format)))
  }

  /** What was kept back, at the end of an utterance. */
  flush(): Uint8Array {
    return this.#isWireFormat ? NOTHING : asBytes(this.#resampler.flush())
  }

  #takeWhole(bytes: Uint8Array): Uint8Array {
    const joined = this.#carried.length === 0 ? bytes : Buffer.concat([this.#carried, bytes])
    const wholeBytes = joined.length - (joined.length % this.#frameBytes)
    // A copy: the bytes may be a view of memory that is soon used again.
    this.#carried = new Uint8Array(joined.subarray(wholeBytes))
    return joined.subarray(0, wholeBytes)
  }
}

function decode(bytes: Uint8Array, { encoding, channels }: AudioFormat): Float32Array {
  const samples = readSamples(bytes, encoding)
  return channels === 1 ? samples : mix(samples, channels)
}

function readSamples(bytes: Uint8Array, encoding: SampleEncoding): Float32Array {
  switch (encoding) {
    case 'pcm_s16le':
      return readPcm(bytes)
    case 'mulaw':
      return readTable(bytes, MULAW_SAMPLES)
    case 'alaw':
      return readTable(bytes, ALAW_SAMPLES)
  }
}

function readPcm(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const samples = new Float32Array(bytes.length / BYTES_PER_SAMPLE)
  for (let index = 0; index < samples.length; index += 1)
    samples[index] = view.getInt16(index * BYTES_PER_SAMPLE, true) / PCM_FULL_SCALE
  return samples
}

function readTable(bytes: Uint8Array, table: ByteTable): Float32Array {
  const samples = new Float32Array(bytes.length)
  for (let index = 0; index < samples.length; index += 1) samples[index] = table[bytes[index]!]!
  return samples
}

function mix(samples: Float32Array, channels: number): Float32Array {
  const mono = new Float32Array(samples.length / channels)
  for (let frame = 0; frame < mono.length; frame += 1) {
    let sum = 0
    for (let channel = 0; channel < channels; channel += 1) sum += samples[frame * channels + channel]!
    mono[frame] = sum / channels
  }
  return mono
}

function asBytes(samples: Float32Array): Uint8Array {
  return new Uint8Array(floatToPcm16(samples).buffer)
}
