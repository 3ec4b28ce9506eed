// The audio of the wire (spec 2.3, 4.4): what a sample, a frame and a chunk are. Everything else is derived from these.

export const ENCODING = 'pcm_s16le'
export const SAMPLE_RATE_HZ = 16_000
export const CHANNELS = 1
export const BYTES_PER_SAMPLE = 2
export const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1000

/** What a stream can accept instead; it is converted to the above on arrival. */
export const STREAM_ENCODINGS = ['pcm_s16le', 'mulaw', 'alaw', 'opus'] as const
export type StreamEncoding = (typeof STREAM_ENCODINGS)[number]
/** The rates that sound is recorded with. Others would need a filter table of many megabytes for each stream. */
export const SAMPLE_RATES_HZ = [
  8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000,
] as const
export type SampleRateHz = (typeof SAMPLE_RATES_HZ)[number]
/** The rates that Opus has. Its packets are decoded the same way whichever they were encoded at. */
export const OPUS_RATES_HZ = [8_000, 12_000, 16_000, 24_000, 48_000] as const
/** Largest Opus packet that is accepted: 120 ms at 256 kbit/s. */
export const MAX_OPUS_PACKET_BYTES = 3_840

/** Largest binary WebSocket frame (spec 4.4). */
export const MAX_FRAME_BYTES = 65_536

/** Bounds of a session's audio (spec 8). */
export const MIN_AUDIO_SECONDS = 1
export const MAX_AUDIO_SECONDS = 300
export const DEFAULT_AUDIO_SECONDS = 60

/** One encoder frame: 10 ms feature hop, subsampled by 8. */
export const ENCODER_FRAME_MS = 80
export const ENCODER_FRAME_SAMPLES = ENCODER_FRAME_MS * SAMPLES_PER_MS

/** Attention context of the model family: 56 encoder frames to the left, `r` ahead; 13 unless a client asks for less. */
export const LEFT_CONTEXT_FRAMES = 56
export const LOOK_AHEADS = [13, 6, 3, 0] as const
export type LookAhead = (typeof LOOK_AHEADS)[number]
export const DEFAULT_LOOK_AHEAD: LookAhead = LOOK_AHEADS[0]
export const CONTEXT_SIZE = [LEFT_CONTEXT_FRAMES, DEFAULT_LOOK_AHEAD] as const

/** A chunk is the newest frame and its look-ahead: the frames of one encoder step. 13 ahead: 17,920 samples, 1.12 s. */
export function chunkSamples(lookAhead: LookAhead): number {
  return (lookAhead + 1) * ENCODER_FRAME_SAMPLES
}

export function samplesToMs(samples: number): number {
  return Math.floor(samples / SAMPLES_PER_MS)
}

/** Accepted audio is billed in whole seconds, rounded up (spec 1, 8). */
export function billableMs(acceptedSamples: number): number {
  return Math.ceil(acceptedSamples / SAMPLE_RATE_HZ) * 1000
}
