// The decoders, one for each codec: WebAssembly builds of the codecs' own libraries. All of them take the frames that the container's
// reader has found, and give samples between -1 and 1.

import { FLACDecoder } from '@wasm-audio-decoders/flac'
import { MPEGDecoder } from 'mpg123-decoder'
import { OpusDecoder } from 'opus-decoder'
import type { DecodeFrame, TrackConfig } from './codec-types.ts'
import { decodePcm } from './pcm-codecs.ts'

const MAX_CHANNELS = 8
/** Opus always counts its samples at this rate. */
const OPUS_RATE_HZ = 48_000

/** Undefined for a codec that is not decoded here. */
export async function openCodec(config: TrackConfig): Promise<DecodeFrame | undefined> {
  if (config.numberOfChannels < 1 || config.numberOfChannels > MAX_CHANNELS) return undefined
  switch (config.codec) {
    case 'mp3':
      return openMp3()
    case 'aac':
      return openAac(config)
    case 'flac':
      return openFlac()
    case 'opus':
      return openOpus(config)
    default:
      return decodePcm(config)
  }
}

async function openMp3(): Promise<DecodeFrame> {
  const decoder = new MPEGDecoder()
  await decoder.ready
  return frame => decoder.decodeFrame(frame)
}

/**
 * Without a description the frames carry their own headers (ADTS). The decoder is under the GPL, so we do not ship it:
 * AAC is unsupported until an operator installs it.
 */
async function openAac({ description }: TrackConfig): Promise<DecodeFrame | undefined> {
  const { decoder: createDecoder } = await import('@audio/decode-aac').catch(ignoreMissing)
  const decoder = await createDecoder?.(description ? { asc: description } : undefined)
  return decoder && (frame => decoder.decode(frame))
}

function ignoreMissing(error: NodeJS.ErrnoException): { decoder?: undefined } {
  if (error.code === 'ERR_MODULE_NOT_FOUND') return {}
  throw error
}

async function openFlac(): Promise<DecodeFrame> {
  const decoder = new FLACDecoder()
  await decoder.ready
  return frame => decoder.decodeFrames([frame])
}

async function openOpus({ numberOfChannels, description }: TrackConfig): Promise<DecodeFrame | undefined> {
  // More than two channels are several streams, which speech does not use.
  if (numberOfChannels > 2) return undefined
  const preSkip = description && description.byteLength >= 12 ? readUint16(description, 10) : 0
  const decoder = new OpusDecoder({ channels: numberOfChannels, preSkip })
  await decoder.ready
  return frame => ({ ...decoder.decodeFrame(frame), sampleRate: OPUS_RATE_HZ })
}

function readUint16(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint16(offset, true)
}
