// The messages between the service and an engine. Audio travels as whole chunks, so a stream costs about one message per chunk each
// way, however small its client's frames are.

import type { ModelId } from '@sauti/protocol/models'
import type { Word } from '@sauti/protocol/stream'
import type { SessionSettings } from '../engine/onnx-sessions.ts'
import type { ModelPackage } from '../package/model-package.ts'
import type { RecogniserSettings, StreamKind } from '../port.ts'
import type { WorkDone } from './admission.ts'
import type { StepCosts } from './capacity.ts'

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

/** One or more requests of the client that have the same effect as the last of them; each is answered. */
export interface Control {
  readonly requests: number
  /** When the first of them came in. */
  readonly dueMs: number
}

export type StreamItem =
  /** Exactly one chunk. */
  | ({ readonly type: 'audio' } & AudioPiece)
  /** The rest of the utterance, shorter than a chunk and perhaps empty. */
  | ({ readonly type: 'flush' } & AudioPiece)
  | ({ readonly type: 'reset' } & Control)
  | ({ readonly type: 'configure'; readonly settings: RecogniserSettings } & Control)

export type ToEngine =
  | { readonly type: 'start'; readonly data: EngineData }
  | {
      readonly type: 'open'
      readonly stream: number
      readonly model: ModelId
      readonly settings: RecogniserSettings
      readonly kind: StreamKind
    }
  | { readonly type: 'item'; readonly stream: number; readonly item: StreamItem }
  | { readonly type: 'close'; readonly stream: number }
  | { readonly type: 'ping' }
  | { readonly type: 'stop' }

export type FromStream =
  /** A chunk of `samples` is done; `append` is what the text gained. `words`, where asked for, begins with the last one sent before. */
  | {
      readonly type: 'heard'
      readonly samples: number
      readonly append: string
      readonly words: readonly Word[]
      readonly audioMs: number
    }
  | {
      readonly type: 'final'
      readonly samples: number
      readonly text: string
      readonly words: readonly Word[]
      readonly audioMs: number
    }
  /** This many chunks and samples were dropped unheard. */
  | {
      readonly type: 'reset'
      readonly requests: number
      readonly chunks: number
      readonly samples: number
    }
  | { readonly type: 'configured'; readonly requests: number }
  /** This stream cannot go on; the engine can. */
  | { readonly type: 'broken'; readonly problem: string }

export type FromEngine =
  | { readonly type: 'warm'; readonly costs: Readonly<Partial<Record<ModelId, StepCosts>>> }
  /** It cannot start. */
  | { readonly type: 'broken'; readonly problem: string }
  | ({ readonly type: 'stream'; readonly stream: number; readonly message: FromStream } & WorkDone)
  | { readonly type: 'pong' }
