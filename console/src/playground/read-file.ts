// A chosen file to what a session takes. The browser decodes on a thread of its own; a worker resamples, and ends at once
// when somebody cancels.

import { SautiError } from '@sauti/client'
import type { Job, Report } from './audio-worker.ts'

/** Above the rate of nearly all speech recordings, so that only the worker's filter removes anything. */
const DECODE_RATE_HZ = 48_000

export interface ReadOptions {
  readonly signal: AbortSignal
  readonly onProgress: (part: number) => void
}

export async function readFile(file: Blob, options: ReadOptions): Promise<Int16Array<ArrayBuffer>> {
  const bytes = await file.arrayBuffer()
  const context = new OfflineAudioContext(1, 1, DECODE_RATE_HZ)
  const decoded = context.decodeAudioData(bytes).catch((cause: unknown) => {
    throw new SautiError('undecodable_audio', 'This browser cannot read the audio in this file.', cause)
  })
  // A browser cannot stop decoding; whoever cancels need not wait for it.
  const audio = await Promise.race([decoded, aborted(options.signal)])
  const channels = Array.from({ length: audio.numberOfChannels }, (_, index) =>
    audio.getChannelData(index).slice(),
  )
  return resample({ channels, sampleRateHz: audio.sampleRate }, options)
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function resample(job: Job, { signal, onProgress }: ReadOptions): Promise<Int16Array<ArrayBuffer>> {
  const worker = new Worker(new URL('./audio-worker.ts', import.meta.url), { type: 'module' })
  const result = new Promise<Int16Array<ArrayBuffer>>((resolve, reject) => {
    worker.onerror = event => reject(new SautiError('undecodable_audio', event.message))
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      if (data.type === 'progress') onProgress(data.part)
      else resolve(data.pcm)
    }
  })
  worker.postMessage(
    job,
    job.channels.map(channel => channel.buffer),
  )
  return Promise.race([result, aborted(signal)]).finally(() => worker.terminate())
}
