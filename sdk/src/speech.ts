// What the service and the command share of the client: sound into the audio of the wire, cuts at pauses, and subtitles.

export { floatToPcm16, mixToMono } from './audio/pcm.ts'
export type { FilterMemory } from './audio/polyphase-filter.ts'
export { type CreateResampler, createResampler, type Resampler, resamplersWith } from './audio/resample.ts'
export { Tape } from './continuous/tape.ts'
export { readUtterance } from './continuous/utterances.ts'
export { formatSrt, formatVtt } from './subtitles.ts'
