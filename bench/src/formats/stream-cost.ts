// CPU time of this process, all its threads, for the audio of a stream in another format.

import { readFileSync } from 'node:fs'
import { type AudioFormat, bytesPerSecond, IncomingAudio } from '@sauti/server/stream/audio/incoming-audio.js'
import { createOpusDecoders } from '@sauti/server/stream/audio/opus-decoders.js'

export const STREAM_FORMATS = [
  { name: 'mulaw, 8,000 Hz', encoding: 'mulaw', sampleRateHz: 8_000, channels: 1 },
  { name: 'pcm_s16le, 8,000 Hz', encoding: 'pcm_s16le', sampleRateHz: 8_000, channels: 1 },
  { name: 'pcm_s16le, 24,000 Hz', encoding: 'pcm_s16le', sampleRateHz: 24_000, channels: 1 },
  { name: 'pcm_s16le, 44,100 Hz', encoding: 'pcm_s16le', sampleRateHz: 44_100, channels: 1 },
  { name: 'pcm_s16le, 48,000 Hz', encoding: 'pcm_s16le', sampleRateHz: 48_000, channels: 1 },
] as const satisfies readonly (AudioFormat & { name: string })[]

const FRAMES_PER_SECOND = 50
/** Of 20 ms at a constant 24 kbit/s, one after the other: then they need no container. */
const OPUS_PACKET_BYTES = 60
export const OPUS_OPTIONS = [
  '-c:a',
  'libopus',
  '-vbr',
  'off',
  '-b:a',
  '24k',
  '-frame_duration',
  '20',
  '-f',
  'data',
  '-map',
  '0:a',
]

/** What the bytes say does not matter to the converters, only how many they are. */
export function conversionMs(pcm: string, format: AudioFormat): number {
  const seconds = readFileSync(pcm).length / 32_000
  const perFrame = bytesPerSecond(format) / FRAMES_PER_SECOND
  const frame = Buffer.from(readFileSync(pcm).subarray(0, Math.ceil(perFrame / 2) * 2))
  const incoming = new IncomingAudio(format)
  const before = process.cpuUsage()
  for (let n = 0; n < seconds * FRAMES_PER_SECOND; n++) incoming.push(frame)
  return cpuMsSince(before)
}

/** With the thread and the messages to it, packet by packet. */
export async function opusMs(file: string): Promise<number> {
  const packets = readPackets(file)
  const decoders = createOpusDecoders()
  const decodeAll = (some: readonly Uint8Array[]) =>
    new Promise<void>((resolve, reject) => {
      let left = some.length
      const stream = decoders.open({
        onDecoded() {
          left -= 1
          if (left > 0) return
          stream.close()
          resolve()
        },
        onLost: reject,
      })
      for (const packet of some) stream.push(packet)
    })
  // Starts the thread and compiles the decoder.
  await decodeAll(packets.slice(0, 100))
  const before = process.cpuUsage()
  await decodeAll(packets)
  const ms = cpuMsSince(before)
  await decoders.close()
  return ms
}

function readPackets(path: string): Uint8Array[] {
  const bytes = readFileSync(path)
  const count = bytes.length / OPUS_PACKET_BYTES
  return Array.from({ length: count }, (_, n) =>
    bytes.subarray(n * OPUS_PACKET_BYTES, (n + 1) * OPUS_PACKET_BYTES),
  )
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
