// One run of the playground: sound from the microphone or a file through the SDK's continuous stream, whose sessions come from
// our own server; what is heard and measured goes back to the page.

import {
  type ContinuousFinal,
  type ContinuousStream,
  type ContinuousSummary,
  type CreateSession,
  captureMicrophone,
  openContinuousStream,
  SautiApiError,
  type SessionWish,
} from '@sauti/client'
import workletUrl from '@sauti/client/microphone-worklet?worker&url'
import { type LookAhead, MAX_AUDIO_SECONDS, SAMPLE_RATE_HZ, samplesToMs } from '@sauti/protocol/audio'
import type { AsrSession } from '@sauti/protocol/http'
import type { ModelId } from '@sauti/protocol/models'
import { call, post } from '../app/api.ts'
import { ApiError } from '../app/api-error.ts'
import { Recording } from './recording.ts'

export interface RunSettings {
  readonly model: ModelId
  readonly lookAhead: LookAhead
  readonly phrases: readonly string[]
  /** Of the microphone; undefined: as long as there is credit. */
  readonly limitSeconds: number | undefined
  readonly deviceId: string | undefined
  /** End a sentence where the speaker pauses. */
  readonly pauses: boolean
}

export interface RunListener {
  onDelta(text: string): void
  onFinal(final: ContinuousFinal): void
  onLevel(level: number): void
  /** How much audio was sent. */
  onClock(sentMs: number): void
  onFirstWords(afterMs: number): void
  onWaiting(message: string): void
}

export interface Run {
  readonly kind: 'microphone' | 'file'
  readonly recording: Recording
  /** Ends the sentence and keeps listening. */
  flush(): void
  /** No more audio; the text that is still to come is waited for. */
  finish(): Promise<void>
  /** Stops without waiting. */
  cancel(): void
  readonly ended: Promise<ContinuousSummary>
}

const FRAME_SAMPLES = SAMPLE_RATE_HZ / 10
/** Silence that ends a sentence; the service hears it, also where there is noise. */
const SILENCE_MS = 700
/** After a break the playground tries again for so long; the person can see that it waits. */
const PATIENCE_MS = 20_000

export async function runMicrophone(settings: RunSettings, listener: RunListener): Promise<Run> {
  const sessionSeconds = settings.limitSeconds ?? MAX_AUDIO_SECONDS
  // The session first: without credit nobody should be asked for the microphone.
  const first = await reserve({ model: settings.model, max_audio_seconds: sessionSeconds })
  const endpointing = settings.pauses && { silenceMs: SILENCE_MS }
  const stream = openStream(settings, listener, { sessionSeconds, settings: { endpointing } }, first)
  const recording = new Recording()
  const limitSamples = (settings.limitSeconds ?? Number.POSITIVE_INFINITY) * SAMPLE_RATE_HZ
  const meter = watch(stream, listener)
  const microphone = await captureMicrophone({
    workletUrl,
    ...(settings.deviceId !== undefined && { deviceId: settings.deviceId }),
    onAudio: pcm => {
      const rest = limitSamples - recording.length
      if (rest <= 0) return
      const kept = pcm.subarray(0, rest)
      recording.add(kept)
      meter.heard()
      listener.onClock(samplesToMs(recording.length))
      stream.send(kept).catch(ignoreAfterEnd)
      if (recording.length >= limitSamples) void finish()
    },
    onLevel: ({ peak }) => listener.onLevel(peak),
  }).catch(async (error: unknown) => {
    stream.closed.catch(ignoreAfterEnd)
    stream.abort(error)
    await call('DELETE', `/sessions/${first.id}`).catch(ignoreAfterEnd)
    throw error
  })
  const finish = async () => {
    await microphone.stop()
    await stream.finish()
  }
  stream.closed.finally(() => microphone.stop()).catch(ignoreAfterEnd)
  return {
    kind: 'microphone',
    recording,
    flush: () => void stream.flush().catch(ignoreAfterEnd),
    finish,
    cancel: () => stream.abort(),
    ended: stream.closed,
  }
}

export async function runFile(pcm: Int16Array, settings: RunSettings, listener: RunListener): Promise<Run> {
  const stream = openStream(settings, listener, { isRecording: true, durationMs: samplesToMs(pcm.length) })
  const recording = new Recording()
  recording.add(pcm)
  void sendFile(stream, pcm, listener).catch(ignoreAfterEnd)
  return {
    kind: 'file',
    recording,
    flush: () => undefined,
    finish: async () => {
      await stream.finish()
    },
    cancel: () => stream.abort(),
    ended: stream.closed,
  }
}

async function sendFile(stream: ContinuousStream, pcm: Int16Array, listener: RunListener): Promise<void> {
  const meter = watch(stream, listener)
  for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
    const frame = pcm.slice(at, at + FRAME_SAMPLES)
    meter.heard()
    await stream.send(frame)
    listener.onLevel(peakOf(frame))
    listener.onClock(samplesToMs(at + frame.length))
  }
  await stream.finish()
}

type StreamOptions = Partial<Parameters<typeof openContinuousStream>[0]>

function reserve(wish: SessionWish): Promise<AsrSession> {
  return post<AsrSession>('/playground/sessions', wish)
}

function openStream(
  settings: RunSettings,
  listener: RunListener,
  options: StreamOptions,
  first?: AsrSession,
): ContinuousStream {
  const { model, lookAhead, phrases } = settings
  const stream = openContinuousStream({
    model,
    createSession: askServer(first),
    patienceMs: PATIENCE_MS,
    ...options,
    settings: { lookAhead, ...(phrases.length > 0 && { phrases }), ...options.settings },
  })
  stream.on('waiting', ({ message }) => listener.onWaiting(message))
  stream.on('delta', ({ text }) => listener.onDelta(text))
  stream.on('final', final => listener.onFinal(final))
  return stream
}

/** The first refusal is told at once; later ones may pass by themselves, and the stream tries again. */
function askServer(first: AsrSession | undefined): CreateSession {
  let reserved = first
  let hasBegun = false
  return async wish => {
    try {
      const session = reserved ?? (await reserve(wish))
      reserved = undefined
      hasBegun = true
      return session
    } catch (error) {
      if (!hasBegun || !(error instanceof ApiError)) throw error
      const { status, code, message, requestId = '' } = error
      throw new SautiApiError({ status, type: 'api_error', code, message, requestId })
    }
  }
}

/** Measures the time from the first sound to the first words. */
function watch(stream: ContinuousStream, listener: RunListener): { heard(): void } {
  let firstSoundMs: number | undefined
  let told = false
  stream.on('delta', ({ text }) => {
    if (told || text === '' || firstSoundMs === undefined) return
    told = true
    listener.onFirstWords(performance.now() - firstSoundMs)
  })
  return {
    heard: () => {
      firstSoundMs ??= performance.now()
    },
  }
}

/** A stream that has ended refuses what was still on its way; `ended` tells why. */
const ignoreAfterEnd = () => undefined

function peakOf(samples: Int16Array): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) / 32_768
}
