// What a decoder is told about a track, and what it gives.

export interface Decoded {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
}

export interface TrackConfig {
  readonly codec: string
  readonly sampleRate: number
  readonly numberOfChannels: number
  /** What the container says about the codec, in the codec's own form. */
  readonly description: Uint8Array | undefined
}

export type DecodeFrame = (frame: Uint8Array) => Promise<Decoded> | Decoded
