// One run of the playground: session from our own server, sound from microphone or file through the SDK, what is heard and
// measured back to the page.

import {
  captureMicrophone,
  type FinalEvent,
  type LiveSession,
  type Microphone,
  openLiveSession,
  toPcm16k,
} from '@sauti/client'
import workletUrl from '@sauti/client/microphone-worklet?worker&url'
import { type LookAhead, MAX_AUDIO_SECONDS, SAMPLE_RATE_HZ } from '@sauti/protocol/audio'
import type { AsrSession } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import { post } from '../app/api.ts'

export interface RunSettings {
  readonly model: ModelId
  readonly lookAhead: LookAhead
  readonly phrases: readonly string[]
  readonly maxSeconds: number
}

export interface RunListener {
  onDelta(text: string): void
  onFinal(final: FinalEvent): void
  onLevel(level: number): void
  /** Of a file: the part that was sent, 0 to 1. */
  onProgress(part: number): void
  onFirstWords(afterMs: number): void
  onFlushed(tookMs: number): void
}

export interface Run {
  /** Ends the utterance and goes on listening. */
  flush(): Promise<void>
  /** Ends the utterance, waits for its final, and closes. */
  finish(): Promise<void>
  /** Resolves when the session has ended well; rejects with the reason of any other end. */
  readonly ended: Promise<void>
}

const FRAME_SAMPLES = SAMPLE_RATE_HZ / 10

export async function runMicrophone(settings: RunSettings, listener: RunListener): Promise<Run> {
  // The session first: without credit nobody should be asked for the microphone.
  const live = await openSession(settings, settings.maxSeconds)
  const clock = watch(live, listener)
  let microphone: Microphone
  try {
    microphone = await captureMicrophone({
      workletUrl,
      onAudio: pcm => {
        clock.heard()
        live.send(pcm).catch(ignoreAfterEnd)
      },
      onLevel: ({ peak }) => listener.onLevel(peak),
    })
  } catch (error) {
    await live.close().catch(ignoreAfterEnd)
    throw error
  }
  live.closed.finally(() => microphone.stop()).catch(ignoreAfterEnd)
  return {
    flush: () => clock.flush(),
    finish: async () => {
      await microphone.stop()
      await clock.flush()
      await live.close()
    },
    ended: live.closed,
  }
}

export async function runFile(file: Blob, settings: RunSettings, listener: RunListener): Promise<Run> {
  const pcm = await toPcm16k(file)
  const seconds = Math.min(Math.max(1, Math.ceil(pcm.length / SAMPLE_RATE_HZ)), MAX_AUDIO_SECONDS)
  const live = await openSession(settings, seconds)
  const clock = watch(live, listener)
  const sent = sendFile(live, pcm, clock, listener)
  return {
    flush: async () => undefined,
    finish: () => live.close(),
    ended: Promise.race([live.closed, sent.then(() => live.closed)]),
  }
}

async function sendFile(
  live: LiveSession,
  pcm: Int16Array,
  clock: Clock,
  listener: RunListener,
): Promise<void> {
  await live.ready
  for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
    const frame = pcm.subarray(at, at + FRAME_SAMPLES)
    clock.heard()
    listener.onLevel(peakOf(frame))
    listener.onProgress(Math.min(1, (at + frame.length) / pcm.length))
    await live.send(frame)
  }
  await clock.flush()
  await live.close()
}

async function openSession(
  { model, lookAhead, phrases }: RunSettings,
  seconds: number,
): Promise<LiveSession> {
  const session = await post<AsrSession>('/playground/sessions', { model, max_audio_seconds: seconds })
  const live = openLiveSession(session)
  live.configure({ lookAhead, ...(phrases.length > 0 && { phrases }) }).catch(ignoreAfterEnd)
  return live
}

interface Clock {
  heard(): void
  flush(): Promise<void>
}

function watch(live: LiveSession, listener: RunListener): Clock {
  let firstSoundMs: number | undefined
  let told = false
  live.on('delta', ({ text }) => {
    listener.onDelta(text)
    if (told || text === '' || firstSoundMs === undefined) return
    told = true
    listener.onFirstWords(performance.now() - firstSoundMs)
  })
  live.on('final', final => listener.onFinal(final))
  return {
    heard: () => {
      firstSoundMs ??= performance.now()
    },
    flush: async () => {
      const startedMs = performance.now()
      await live.flush()
      listener.onFlushed(performance.now() - startedMs)
    },
  }
}

/** A session that has ended refuses what was still on its way; why it ended is told by `ended`. */
const ignoreAfterEnd = () => undefined

function peakOf(samples: Int16Array): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) / 32_768
}
