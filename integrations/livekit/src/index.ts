// Speech to text for LiveKit agents.

export { SpeechStream } from './stream.ts'
export { STT, type STTOptions } from './stt.ts'
