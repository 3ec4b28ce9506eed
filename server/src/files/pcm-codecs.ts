// Sound that is stored as plain samples, as in WAVE files: integers and floats of every size, and the two laws of telephony.

import { ALAW_SAMPLES, MULAW_SAMPLES } from '@sauti/protocol/g711'
import type { DecodeFrame, TrackConfig } from './codec-types.ts'

type ReadSample = (view: DataView, offset: number) => number

interface PcmFormat {
  readonly bytes: number
  readonly read: ReadSample
}

const FORMATS: Readonly<Record<string, PcmFormat>> = {
  'pcm-u8': { bytes: 1, read: (view, at) => (view.getUint8(at) - 128) / 128 },
  'pcm-s8': { bytes: 1, read: (view, at) => view.getInt8(at) / 128 },
  'pcm-s16': { bytes: 2, read: (view, at) => view.getInt16(at, true) / 2 ** 15 },
  'pcm-s16be': { bytes: 2, read: (view, at) => view.getInt16(at) / 2 ** 15 },
  'pcm-s24': {
    bytes: 3,
    read: (view, at) => (view.getInt8(at + 2) * 65_536 + view.getUint16(at, true)) / 2 ** 23,
  },
  'pcm-s24be': {
    bytes: 3,
    read: (view, at) => (view.getInt8(at) * 65_536 + view.getUint16(at + 1)) / 2 ** 23,
  },
  'pcm-s32': { bytes: 4, read: (view, at) => view.getInt32(at, true) / 2 ** 31 },
  'pcm-s32be': { bytes: 4, read: (view, at) => view.getInt32(at) / 2 ** 31 },
  'pcm-f32': { bytes: 4, read: (view, at) => finite(view.getFloat32(at, true)) },
  'pcm-f32be': { bytes: 4, read: (view, at) => finite(view.getFloat32(at)) },
  'pcm-f64': { bytes: 8, read: (view, at) => finite(view.getFloat64(at, true)) },
  ulaw: { bytes: 1, read: (view, at) => MULAW_SAMPLES[view.getUint8(at)]! },
  alaw: { bytes: 1, read: (view, at) => ALAW_SAMPLES[view.getUint8(at)]! },
}

export function decodePcm({ codec, sampleRate, numberOfChannels }: TrackConfig): DecodeFrame | undefined {
  const format = FORMATS[codec]
  if (!format) return undefined
  return bytes => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const length = Math.floor(bytes.byteLength / format.bytes / numberOfChannels)
    const channelData = Array.from({ length: numberOfChannels }, (_, channel) =>
      Float32Array.from({ length }, (_, n) =>
        format.read(view, (n * numberOfChannels + channel) * format.bytes),
      ),
    )
    return { channelData, sampleRate }
  }
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}
