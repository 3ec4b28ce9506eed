// One recording, or live speech, through a continuous stream, into a transcript.

import {
  type Billing,
  type Connect,
  type ContinuousStream,
  type LiveSettings,
  openContinuousStream,
  type SautiClient,
  type SessionSlots,
} from '@sauti/client'
import type { Audio } from '../audio/open-audio.ts'
import type { Transcript, Utterance } from './transcript.ts'

/** This much silence ends a line of live speech. */
const SILENCE_MS = 700

interface TranscriptionHooks {
  /** The unfinished utterance so far. */
  onDelta?(text: string): void
  onUtterance?(utterance: Utterance): void
  /** How far the recording has been heard. */
  onProgress?(positionMs: number): void
  /** Something that the user may want to know while waiting. */
  onNotice?(notice: string): void
}

export interface TranscriptionOptions {
  readonly client: SautiClient
  readonly connect: Connect
  readonly slots: SessionSlots
  readonly model: string
  readonly settings: LiveSettings
  /** Longest session to ask for. */
  readonly sessionSeconds: number
  /** How long it keeps trying without progress. */
  readonly patienceMs: number
  readonly hooks: TranscriptionHooks
}

export interface Outcome {
  /** Up to the failure, if there was one. */
  readonly transcript: Transcript
  readonly failure: unknown
}

export async function transcribe(audio: Audio, options: TranscriptionOptions): Promise<Outcome> {
  const { durationMs, isLive, isSpoken } = audio
  const stream = openContinuousStream({
    ...options,
    settings: isSpoken ? { ...options.settings, endpointing: { silenceMs: SILENCE_MS } } : options.settings,
    isRecording: !isLive,
    ...(durationMs === undefined ? {} : { durationMs }),
  })
  const utterances = follow(stream, options.hooks)
  const failure = await speak(audio, stream)
  return { transcript: toTranscript(audio.name, options.model, utterances, stream.billing), failure }
}

function follow(stream: ContinuousStream, hooks: TranscriptionHooks): readonly Utterance[] {
  const utterances: Utterance[] = []
  stream.on('delta', ({ text, audio_ms }) => {
    hooks.onDelta?.(text)
    hooks.onProgress?.(audio_ms)
  })
  stream.on('final', ({ text, words, start_ms: startMs, end_ms: endMs }) => {
    const utterance = { startMs, endMs, text, words }
    utterances.push(utterance)
    hooks.onProgress?.(endMs)
    hooks.onUtterance?.(utterance)
  })
  stream.on('waiting', ({ message, delay_ms }) => {
    const seconds = Math.ceil(delay_ms / 1000)
    hooks.onNotice?.(`${message} Trying again${seconds > 1 ? ` in ${seconds} s` : ''}.`)
  })
  return utterances
}

/** Undefined, or why the text is not whole. What could be read before an unreadable place is transcribed. */
async function speak(audio: Audio, stream: ContinuousStream): Promise<unknown> {
  let failure: unknown
  try {
    for await (const piece of audio.pcm) await stream.send(piece)
  } catch (error) {
    failure = error
  }
  return stream.finish().then(
    () => failure,
    (error: unknown) => error,
  )
}

function toTranscript(
  name: string,
  model: string,
  utterances: readonly Utterance[],
  billing: Billing,
): Transcript {
  return { name, model, durationMs: utterances.at(-1)?.endMs ?? 0, billedMs: billing.billed_ms, utterances }
}
