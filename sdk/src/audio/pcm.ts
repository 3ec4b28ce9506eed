// Samples into the audio of the wire: 16-bit little-endian PCM, mono, 16 kHz.

import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { SautiError } from '../errors.ts'
import { createResampler } from './resample.ts'

/** Samples, or bytes of little-endian PCM16 as they came from a file or a socket. */
export type Pcm = Int16Array | Uint8Array | ArrayBuffer

const FULL_SCALE = 32_768
/** A rate that every browser can decode to, higher than that of nearly all speech, so that our own filter, whose stop band is known, limits the band. */
const DECODE_RATE_HZ = 48_000
const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** A copy in wire order: the caller may reuse its buffer at once. */
export function pcmBytes(pcm: Pcm): Uint8Array<ArrayBuffer> {
  if (pcm instanceof Int16Array && !littleEndian) {
    const bytes = new Uint8Array(pcm.byteLength)
    const view = new DataView(bytes.buffer)
    pcm.forEach((sample, index) => {
      view.setInt16(index * 2, sample, true)
    })
    return bytes
  }
  const bytes =
    pcm instanceof ArrayBuffer
      ? new Uint8Array(pcm)
      : new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  return new Uint8Array(bytes)
}

/** From -1 ... 1 to 16 bits; louder samples are clipped. */
export function floatToPcm16(samples: Float32Array): Int16Array<ArrayBuffer> {
  const pcm = new Int16Array(samples.length)
  for (let index = 0; index < samples.length; index++) {
    const value = Math.round(samples[index]! * FULL_SCALE)
    pcm[index] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, value))
  }
  return pcm
}

/** The mean of all channels. */
export function mixToMono(channels: readonly Float32Array[]): Float32Array {
  const [first, ...others] = channels
  if (!first || others.length === 0) return first ?? new Float32Array(0)
  const mono = new Float32Array(first.length)
  for (let index = 0; index < mono.length; index++) {
    let sum = first[index]!
    for (const other of others) sum += other[index]!
    mono[index] = sum / channels.length
  }
  return mono
}

/** Decodes an audio or video file in a browser, whatever format the browser knows, to what a session takes. */
export async function toPcm16k(file: Blob | ArrayBuffer): Promise<Int16Array<ArrayBuffer>> {
  // Decoding takes the buffer away from its owner, so it gets a copy.
  const bytes = file instanceof ArrayBuffer ? file.slice(0) : await file.arrayBuffer()
  const context = new OfflineAudioContext(1, 1, DECODE_RATE_HZ)
  const audio = await context.decodeAudioData(bytes).catch((cause: unknown) => {
    throw new SautiError('undecodable_audio', 'This browser cannot decode the audio of this file.', cause)
  })
  const channels = Array.from({ length: audio.numberOfChannels }, (_, index) => audio.getChannelData(index))
  const resampler = createResampler(audio.sampleRate, SAMPLE_RATE_HZ)
  const mono = mixToMono(channels)
  const [body, tail] = [resampler.push(mono), resampler.flush()]
  const samples = new Float32Array(body.length + tail.length)
  samples.set(body)
  samples.set(tail, body.length)
  return floatToPcm16(samples)
}
