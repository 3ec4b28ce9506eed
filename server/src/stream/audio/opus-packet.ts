// What an Opus packet says about itself in its first two bytes (RFC 6716, 3.1 and 3.2): how long its sound lasts. Nothing is decoded here.

import { MAX_OPUS_PACKET_BYTES, SAMPLES_PER_MS } from '@sauti/protocol/audio'
import { ServiceError } from '@sauti/protocol/errors'

const SILK_FRAME_MS = [10, 20, 40, 60]
const HYBRID_FRAME_MS = [10, 20]
const CELT_FRAME_MS = [2.5, 5, 10, 20]
const MAX_PACKET_MS = 120

/** First bytes of the containers that Opus often comes in. */
const CONTAINERS: Readonly<Record<string, string>> = { '4f676753': 'Ogg', '1a45dfa3': 'WebM' }

/** Samples of the wire that the packet gives. Throws undecodable_audio for what cannot be an Opus packet. */
export function opusPacketSamples(packet: Uint8Array): number {
  const container = CONTAINERS[Buffer.from(packet.subarray(0, 4)).toString('hex')]
  if (container)
    throw damaged(`This is a part of a file in ${container}. Send bare packets, one per message.`)
  if (packet.length > MAX_OPUS_PACKET_BYTES)
    throw damaged(`An Opus packet may hold at most ${MAX_OPUS_PACKET_BYTES} bytes.`)
  const ms = frameMs(packet[0]! >> 3) * frameCount(packet)
  if (ms === 0 || ms > MAX_PACKET_MS) throw notAPacket()
  return ms * SAMPLES_PER_MS
}

export function notAPacket(): ServiceError {
  return damaged('The message is not an Opus packet.')
}

function damaged(problem: string): ServiceError {
  return new ServiceError('undecodable_audio', {
    message: `${problem} It was not accepted and is not billed.`,
  })
}

function frameMs(config: number): number {
  if (config < 12) return SILK_FRAME_MS[config & 3]!
  return config < 16 ? HYBRID_FRAME_MS[config & 1]! : CELT_FRAME_MS[config & 3]!
}

function frameCount(packet: Uint8Array): number {
  const code = packet[0]! & 3
  if (code === 0) return 1
  return code === 3 ? (packet[1] ?? 0) & 0x3f : 2
}
