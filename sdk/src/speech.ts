// What the service and the command share of the client: sound into the audio of the wire, cuts at pauses, and subtitles.

export { Tape } from './continuous/tape.ts'
export { readUtterance } from './continuous/utterances.ts'
export { floatToPcm16, mixToMono } from './pcm.ts'
export { createResampler, type Resampler } from './resample.ts'
export { formatSrt, formatVtt } from './subtitles.ts'
