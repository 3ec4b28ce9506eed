// The interface of the recogniser (steps 5 and 6): PCM in, text events out. The stream imports this file and nothing behind it.

import type { LookAhead } from '@sauti/protocol/audio'
import type { ModelId } from '@sauti/protocol/models'
import type { Word } from '@sauti/protocol/stream'

export interface RecogniserSettings {
  readonly lookAhead: LookAhead
  readonly phrases: readonly string[]
  /** Whether deltas have their words. Holds for the whole life of a stream; a configure does not change it. */
  readonly interimWords?: boolean
}

/** All times count from the first sample ever pushed to the stream, over all its utterances. */
export type RecogniserEvent =
  /** The utterance so far changed. `append` is what `text` gained at its end since the last delta. The last word may still grow. */
  | {
      readonly type: 'delta'
      readonly text: string
      readonly append: string
      readonly words: readonly Word[]
      readonly audioMs: number
    }
  /** Answers one flush, in order, after everything that was pushed before it. */
  | {
      readonly type: 'final'
      readonly text: string
      readonly words: readonly Word[]
      readonly audioMs: number
    }
  /** Answers one reset, in order. */
  | { readonly type: 'reset' }
  /** Answers one configure, in order: the settings hold from here on. */
  | { readonly type: 'configured' }
  /** The engine has taken audio off the queue; `queuedSamples` went down. */
  | { readonly type: 'progress' }

/** Receives nothing after close(). Must not throw. */
export interface RecogniserListener {
  onEvent(event: RecogniserEvent): void
  /** The engine is lost (ServiceError engine_unavailable). No event follows. */
  onLost(error: Error): void
}

export interface RecogniserStream {
  /** Sets the one listener. Events that came before it are delivered first. */
  listen(listener: RecogniserListener): void
  /** Queues audio, a copy of it: the array may be a view of memory that is soon used again. Never refuses: watch `queuedSamples`. */
  push(samples: Int16Array): void
  flush(): void
  /** Drops the unfinished utterance and its queued audio. */
  reset(): void
  /** Takes effect for the next utterance; the caller makes sure that none is under way. Answered by `configured`. */
  configure(settings: RecogniserSettings): void
  /** Pushed and not yet taken by the engine. */
  readonly queuedSamples: number
  /** Frees the slot at once; safe to call twice. */
  close(): void
}

/** Somebody speaks and waits for the words, or a recording is heard in the time that this leaves. */
export type StreamKind = 'live' | 'background'

export interface Recogniser {
  /**
   * Takes a slot and gives a warm stream. Rejects with engine_unavailable when none is free in time, or on abort. A background stream
   * takes no slot: it is served when no live stream waits.
   */
  open(
    model: ModelId,
    settings: RecogniserSettings,
    signal?: AbortSignal,
    kind?: StreamKind,
  ): Promise<RecogniserStream>
  /** Models that are loaded and warm. */
  readonly models: readonly ModelId[]
  /**
   * Streams that can be open at once: live ones that run in real time, from the measured cost of a chunk, beside the background streams that are
   * open now. 0 while warming up.
   */
  readonly capacity: number
  /** How many of them are admitted only when those that have just been opened were heard: under load, they may cost more than was measured. */
  readonly heldBack: number
  /** Streams that are open now. */
  readonly openStreams: number
  /** Which look-aheads the model offers. */
  lookAheads(model: ModelId): readonly LookAhead[]
  close(): Promise<void>
}

/** What voice detection judges at a time: 32 ms. */
export const VOICE_FRAME_SAMPLES = 512

export interface VoiceListener {
  /** How likely it is that somebody speaks, from 0 to 1, for each frame that was pushed and not judged yet, in order. */
  onVoice(likelihoods: readonly number[]): void
  /** The detector is lost (ServiceError engine_unavailable). Nothing follows. */
  onLost(error: Error): void
}

export interface VoiceStream {
  /** Takes whole frames; keeps the array. */
  push(samples: Int16Array): void
  /** The listener is told nothing more. Safe to call twice. */
  close(): void
}

/** Listens for voices in the sound of streams. */
export interface VoiceDetector {
  open(listener: VoiceListener): VoiceStream
  close(): Promise<void>
}
