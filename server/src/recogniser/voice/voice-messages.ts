// The messages between the service and the process that listens for voices.

export type ToVoiceWorker =
  | { readonly type: 'start'; readonly path: string }
  /** Whole frames. The first of a stream opens it. */
  | { readonly type: 'frames'; readonly stream: number; readonly samples: Int16Array }
  | { readonly type: 'close'; readonly stream: number }

/** One likelihood for each frame, in order. */
export interface FromVoiceWorker {
  readonly stream: number
  readonly likelihoods: readonly number[]
}
