// The head of a WAVE file: the format of its sound and where the sound begins. For the command, the sample clips and the benches. Files that
// clients send are read by mediabunny, in a process of its own (sound.ts).

import { CHANNELS, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'

export interface WavFormat {
  readonly encoding: 'integer' | 'float'
  readonly sampleRateHz: number
  readonly channels: number
  readonly bytesPerSample: number
}

export interface WavHead extends WavFormat {
  /** Where the first sample is. */
  readonly soundStart: number
  /** As the file says; unknown in a stream that was still being written. */
  readonly soundBytes: number | undefined
}

/** What is wrong with a file that claims to be WAVE. */
export class WavError extends Error {}

const RIFF_HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8
const FORMAT_BYTES = 16
const PCM = 1
const IEEE_FLOAT = 3
const EXTENSIBLE = 0xfffe
const UNKNOWN_LENGTH = 0xffffffff
const BYTES_PER_SAMPLE = { integer: [1, 2, 3, 4], float: [4, 8] }

/**
 * Reads as much of a file as there is. `incomplete` when the sound begins after it, `unsupported` for an encoding that is not
 * plain samples, such as ADPCM.
 */
export function readWavHead(bytes: Buffer): WavHead | 'incomplete' | 'unsupported' {
  let format: WavFormat | undefined
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const start = at + CHUNK_HEADER_BYTES
    // Chunks are padded to an even length.
    at = start + length + (length % 2)
    if (name === 'data') {
      return format ? { ...format, soundStart: start, soundBytes: knownLength(length) } : 'unsupported'
    }
    if (name !== 'fmt ') continue
    if (at > bytes.length) return 'incomplete'
    format = parseFormat(bytes.subarray(start, start + length))
    if (!format) return 'unsupported'
  }
  return 'incomplete'
}

/** The samples of a whole mono 16-bit file at the rate of the service. */
export function readSpeech(wav: Buffer): Int16Array<ArrayBuffer> {
  const head = readWavHead(wav)
  if (typeof head === 'string' || !isSpeech(head)) throw new WavError('not a mono 16-bit 16 kHz WAVE file')
  const sound = wav.subarray(head.soundStart).subarray(0, head.soundBytes)
  return new Int16Array(new Uint8Array(sound.subarray(0, sound.length & ~1)).buffer)
}

function isSpeech({ encoding, bytesPerSample, channels, sampleRateHz }: WavFormat): boolean {
  const isPcm16 = encoding === 'integer' && bytesPerSample === 2
  return isPcm16 && channels === CHANNELS && sampleRateHz === SAMPLE_RATE_HZ
}

/** A stream that was written before its length was known says 0 or the largest number. */
function knownLength(length: number): number | undefined {
  return length === 0 || length === UNKNOWN_LENGTH ? undefined : length
}

function parseFormat(content: Buffer): WavFormat | undefined {
  if (content.length < FORMAT_BYTES) throw new WavError('the WAVE file is damaged: its format is cut off')
  const tag = content.readUInt16LE(0)
  // The extensible form keeps the real tag at the head of a longer identifier.
  const encoding = tag === EXTENSIBLE && content.length >= 26 ? content.readUInt16LE(24) : tag
  const format: WavFormat = {
    encoding: encoding === IEEE_FLOAT ? 'float' : 'integer',
    channels: content.readUInt16LE(2),
    sampleRateHz: content.readUInt32LE(4),
    bytesPerSample: Math.ceil(content.readUInt16LE(14) / 8),
  }
  const isKnown = encoding === PCM || encoding === IEEE_FLOAT
  if (!isKnown || !BYTES_PER_SAMPLE[format.encoding].includes(format.bytesPerSample)) return undefined
  const isPossible = format.channels > 0 && format.sampleRateHz >= 4_000 && format.sampleRateHz <= 768_000
  if (!isPossible)
    throw new WavError('the WAVE file is damaged: it names no channels or no possible sample rate')
  return format
}
