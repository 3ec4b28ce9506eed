// The door to recognition (steps 5 and 6). The stream knows this file and nothing behind it: PCM in, text events out.

import type { LookAhead } from '@sauti/protocol/audio'
import type { ModelId } from '@sauti/protocol/models'
import type { Word } from '@sauti/protocol/stream'

export interface RecogniserSettings {
  readonly lookAhead: LookAhead
  readonly phrases: readonly string[]
}

/** All times count from the first sample ever pushed to the stream, over all its utterances. */
export type RecogniserEvent =
  /** The utterance so far changed. `append` is what `text` gained at its end since the last delta. */
  | { readonly type: 'delta'; readonly text: string; readonly append: string; readonly audioMs: number }
  /** Answers one flush, in order, after everything that was pushed before it. */
  | {
      readonly type: 'final'
      readonly text: string
      readonly words: readonly Word[]
      readonly audioMs: number
    }
  /** Answers one reset, in order. */
  | { readonly type: 'reset' }
  /** The engine has taken audio off the queue; `queuedSamples` went down. */
  | { readonly type: 'progress' }

/**
 * For one consumer. Who reads with `for await` reads as slowly as it likes; it comes to an end after close(), and ServiceError
 * engine_unavailable is thrown when the engine is lost.
 */
export interface RecogniserEvents extends AsyncIterable<RecogniserEvent> {
  /** Tells each event as it happens, from the first one on, without the promises that reading costs. */
  listen(listener: RecogniserListener): void
}

/** Is told nothing more after close(). Must not throw. */
export interface RecogniserListener {
  onEvent(event: RecogniserEvent): void
  /** ServiceError engine_unavailable: the engine is lost, and nothing follows. */
  onLost(error: Error): void
}

export interface RecogniserStream {
  /** Queues audio, a copy of it: the array may be a view of memory that is soon used again. Never refuses: watch `queuedSamples`. */
  push(samples: Int16Array): void
  flush(): void
  /** Drops the unfinished utterance and its queued audio. */
  reset(): void
  /** Takes effect for the next utterance; the caller makes sure that none is under way. */
  configure(settings: RecogniserSettings): void
  /** Pushed and not yet taken by the engine. */
  readonly queuedSamples: number
  readonly events: RecogniserEvents
  /** Frees the slot at once; safe to call twice. */
  close(): void
}

export interface Recogniser {
  /** Takes a slot and gives a warm stream. Rejects with engine_unavailable when none is free in time, or on abort. */
  open(model: ModelId, settings: RecogniserSettings, signal?: AbortSignal): Promise<RecogniserStream>
  /** Models that are loaded and warm. */
  readonly models: readonly ModelId[]
  /** Streams that can run in real time at once, from the measured cost of a chunk; 0 while warming up. */
  readonly capacity: number
  /** Streams that are open now. */
  readonly openStreams: number
  /** Which look-aheads the model offers. */
  lookAheads(model: ModelId): readonly LookAhead[]
  close(): Promise<void>
}
