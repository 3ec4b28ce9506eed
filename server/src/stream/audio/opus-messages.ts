// The messages between the service and the thread that decodes Opus.

export type ToOpusWorker =
  /** The first of a stream opens it. */
  | { readonly type: 'packet'; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly type: 'close'; readonly stream: number }

/** One for each packet, in the order of its stream. */
export interface FromOpusWorker {
  readonly stream: number
  /** Mono 16 kHz; undefined for a packet that cannot be decoded. */
  readonly samples: Int16Array<ArrayBuffer> | undefined
}
