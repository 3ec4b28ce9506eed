// Our words and times as Deepgram's interface defines them: seconds instead of milliseconds.

import type { ModelId } from '@sauti/protocol/models'
import type { Word } from '@sauti/protocol/stream'

interface DeepgramWord {
  readonly word: string
  readonly start: number
  readonly end: number
  readonly confidence: number
  readonly punctuated_word: string
}

export interface Alternative {
  readonly transcript: string
  readonly confidence: number
  readonly words: readonly DeepgramWord[]
}

const ARCHITECTURE = 'fastconformer-transducer'

export function describeAlternative(text: string, words: readonly Word[]): Alternative {
  return { transcript: text, confidence: meanConfidence(words), words: words.map(describeWord) }
}

function describeWord({ text, start_ms, end_ms, confidence }: Word): DeepgramWord {
  return {
    word: text,
    start: toSeconds(start_ms),
    end: toSeconds(end_ms),
    confidence,
    punctuated_word: text,
  }
}

function meanConfidence(words: readonly Word[]): number {
  if (words.length === 0) return 0
  const sum = words.reduce((total, { confidence }) => total + confidence, 0)
  return Math.round((sum / words.length) * 1000) / 1000
}

export function describeModel(model: ModelId): { name: string; version: string; arch: string } {
  return { name: model, version: model.split('-').at(-1) ?? '', arch: ARCHITECTURE }
}

export function toSeconds(ms: number): number {
  return ms / 1000
}
