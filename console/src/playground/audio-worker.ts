// Off the page's thread: channels of any rate to mono 16 kHz PCM16, a second at a time, so that progress can be shown.

import { createResampler, floatToPcm16, mixToMono } from '@sauti/client'
import { SAMPLE_RATE_HZ } from '@sauti/protocol/audio'

export interface Job {
  readonly channels: readonly Float32Array<ArrayBuffer>[]
  readonly sampleRateHz: number
}

export type Report =
  | { readonly type: 'progress'; readonly part: number }
  | { readonly type: 'done'; readonly pcm: Int16Array<ArrayBuffer> }

self.onmessage = ({ data }: MessageEvent<Job>) => {
  const pcm = convert(data, part => report({ type: 'progress', part }))
  report({ type: 'done', pcm }, [pcm.buffer])
}

function report(message: Report, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer })
}

function convert({ channels, sampleRateHz }: Job, onPart: (part: number) => void): Int16Array<ArrayBuffer> {
  const total = channels[0]?.length ?? 0
  const resampler = createResampler(sampleRateHz, SAMPLE_RATE_HZ)
  const pieces: Int16Array[] = []
  for (let at = 0; at < total; at += sampleRateHz) {
    const second = channels.map(channel => channel.subarray(at, at + sampleRateHz))
    pieces.push(floatToPcm16(resampler.push(mixToMono(second))))
    onPart(Math.min(1, (at + sampleRateHz) / total))
  }
  pieces.push(floatToPcm16(resampler.flush()))
  return join(pieces)
}

function join(pieces: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
