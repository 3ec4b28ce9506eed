// What a continuous stream reports. All times count from the first sample of the stream, over all its sessions.

import type { Word } from '@sauti/protocol/stream'

/** The unfinished utterance so far. After a break it may be sent again from its beginning. */
export interface ContinuousDelta {
  readonly type: 'delta'
  readonly text: string
  readonly start_ms: number
  /** How far the audio has been heard. */
  readonly audio_ms: number
}

/** An utterance that will not change any more. Together they cover all the audio, each part of it once, in order. */
export interface ContinuousFinal {
  readonly type: 'final'
  /** Empty where nothing was said. */
  readonly text: string
  readonly words: readonly Word[]
  readonly start_ms: number
  readonly end_ms: number
}

/** Where the settings have `endpointing`: somebody begins to speak, or has stopped. */
export interface ContinuousSpeech {
  readonly type: 'speech_started' | 'speech_ended'
  readonly audio_ms: number
}

/** A session was opened, with this much audio reserved. */
export interface ContinuousSession {
  readonly type: 'session'
  readonly id: string
  readonly start_ms: number
  readonly reserved_seconds: number
}

/** A temporary failure; it is tried again after the delay. */
export interface ContinuousWaiting {
  readonly type: 'waiting'
  readonly code: string
  readonly message: string
  readonly delay_ms: number
}

export type ContinuousEvent =
  | ContinuousDelta
  | ContinuousFinal
  | ContinuousSpeech
  | ContinuousSession
  | ContinuousWaiting
