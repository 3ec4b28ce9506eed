// What the service and an engine say to each other. Audio travels as whole chunks, so a stream costs about one message a chunk each
// way, however small the frames of its client are.

import type { ModelId } from '@sauti/protocol/models'
import type { Word } from '@sauti/protocol/stream'
import type { StepCosts } from './capacity.ts'
import type { ModelPackage } from './model-package.ts'
import type { RecogniserSettings } from './port.ts'
import type { SessionSettings } from './sessions.ts'

/** What an engine is made of. */
export interface EngineData {
  readonly models: readonly { readonly id: ModelId; readonly package: ModelPackage }[]
  readonly sessions: SessionSettings
}

/** Samples that follow each other; `start` counts from the first sample ever pushed to the stream, `dueMs` is what its `Pace` gave. */
export interface AudioPiece {
  readonly samples: Int16Array
  readonly start: number
  readonly dueMs: number
}

export type StreamItem =
  /** Exactly one chunk. */
  | ({ readonly type: 'audio' } & AudioPiece)
  /** The rest of the utterance, shorter than a chunk and perhaps empty. */
  | ({ readonly type: 'flush' } & AudioPiece)
  | { readonly type: 'reset' }
  | { readonly type: 'configure'; readonly settings: RecogniserSettings }

export type ToEngine =
  | { readonly type: 'start'; readonly data: EngineData }
  | {
      readonly type: 'open'
      readonly stream: number
      readonly model: ModelId
      readonly settings: RecogniserSettings
    }
  | { readonly type: 'item'; readonly stream: number; readonly item: StreamItem }
  | { readonly type: 'close'; readonly stream: number }
  | { readonly type: 'ping' }
  | { readonly type: 'stop' }

export type FromStream =
  /** A chunk of `samples` is done; `append` is what the text gained. */
  | {
      readonly type: 'heard'
      readonly samples: number
      readonly append: string
      readonly audioMs: number
      readonly stepMs: number
    }
  | {
      readonly type: 'final'
      readonly samples: number
      readonly text: string
      readonly words: readonly Word[]
      readonly audioMs: number
    }
  /** So many chunks with so many samples were dropped unheard. */
  | { readonly type: 'reset'; readonly chunks: number; readonly samples: number }
  /** This stream cannot go on; the engine can. */
  | { readonly type: 'broken'; readonly problem: string }

export type FromEngine =
  | { readonly type: 'warm'; readonly costs: Readonly<Partial<Record<ModelId, StepCosts>>> }
  /** It cannot start. */
  | { readonly type: 'broken'; readonly problem: string }
  | { readonly type: 'stream'; readonly stream: number; readonly message: FromStream }
  | { readonly type: 'pong' }
