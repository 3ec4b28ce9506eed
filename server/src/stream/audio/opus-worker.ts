// The thread that decodes the Opus packets of all streams. Each stream has its own instance of the decoder, a WebAssembly build of libopus:
// whatever a packet does to it stays in the memory of that instance.

import { parentPort } from 'node:worker_threads'
import { floatToPcm16 } from '@sauti/client/speech'
import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import { OpusDecoder } from 'opus-decoder'
import type { FromOpusWorker, ToOpusWorker } from './opus-messages.ts'

type Decoder = OpusDecoder<typeof SAMPLE_RATE_HZ>

const decoders = new Map<number, Promise<Decoder>>()

parentPort!.on('message', (message: ToOpusWorker) => {
  switch (message.type) {
    case 'packet':
      void answer(message.stream, message.bytes)
      break
    case 'close':
      void free(message.stream)
      break
  }
})

async function answer(stream: number, bytes: Uint8Array): Promise<void> {
  const samples = await decode(stream, bytes)
  const message: FromOpusWorker = { stream, samples }
  parentPort!.postMessage(message, samples ? [samples.buffer] : [])
}

/** An instance that threw may be in any state, so the next packet gets a new one. */
async function decode(stream: number, bytes: Uint8Array): Promise<FromOpusWorker['samples']> {
  const decoder = decoders.get(stream) ?? open()
  decoders.set(stream, decoder)
  try {
    const { channelData, errors } = (await decoder).decodeFrame(bytes)
    return errors.length === 0 ? floatToPcm16(channelData[0]!) : undefined
  } catch {
    decoders.delete(stream)
    return undefined
  }
}

/** Mono: libopus itself mixes the two channels of a stereo packet, and gives the rate of the wire whatever the packet was encoded at. */
async function open(): Promise<Decoder> {
  const decoder = new OpusDecoder({ channels: 1, sampleRate: SAMPLE_RATE_HZ })
  await decoder.ready
  return decoder
}

async function free(stream: number): Promise<void> {
  const decoder = decoders.get(stream)
  decoders.delete(stream)
  ;(await decoder)?.free()
}
