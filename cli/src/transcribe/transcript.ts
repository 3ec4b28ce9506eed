// What a transcription is made of: utterances with the words and times of the recording, not of the session they came from.

import type { Word } from '@sauti/client'

export interface Utterance {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
  readonly words: readonly Word[]
}

export interface Transcript {
  readonly name: string
  readonly model: string
  readonly durationMs: number
  readonly billedMs: number
  readonly utterances: readonly Utterance[]
}
