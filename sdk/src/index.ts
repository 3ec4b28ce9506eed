// Everything a user of Sauti needs: the server half, the live half, and ways to get audio in a browser.

export type {
  AsrSession,
  CreateSessionRequest,
  CreditBalance,
  Model,
  UsageSession,
} from '@sauti/protocol/http'
export type {
  ConfigAckEvent,
  DeltaEvent,
  ErrorEvent,
  FinalEvent,
  ReadyEvent,
  ResetAckEvent,
  ServerEvent,
  SpeechEndedEvent,
  SpeechStartedEvent,
  StatusEvent,
  Word,
} from '@sauti/protocol/stream'
export { captureMicrophone, type Level, type Microphone, type MicrophoneOptions } from './audio/microphone.ts'
export { floatToPcm16, mixToMono, type Pcm, toPcm16k } from './audio/pcm.ts'
export { createResampler, type Resampler } from './audio/resample.ts'
export type { Billing } from './continuous/bill.ts'
export {
  ContinuousStream,
  type ContinuousStreamOptions,
  type ContinuousSummary,
  openContinuousStream,
} from './continuous/continuous-stream.ts'
export type {
  ContinuousDelta,
  ContinuousEvent,
  ContinuousFinal,
  ContinuousSession,
  ContinuousSpeech,
  ContinuousWaiting,
} from './continuous/events.ts'
export { isPassing } from './continuous/passing-failures.ts'
export { SessionSlots } from './continuous/session-slots.ts'
export type { CreateSession, SessionGrant, SessionWish } from './continuous/session-source.ts'
export type { ContinuousState } from './continuous/state.ts'
export { SautiApiError, SautiError, SautiStreamError, type StreamFailure } from './errors.ts'
export type { LiveSessionGrant } from './live/connection.ts'
export {
  LiveSession,
  type LiveSessionOptions,
  type LiveSettings,
  openLiveSession,
} from './live/live-session.ts'
export type { Connect, WebSocketLike } from './live/socket.ts'
export {
  type CallOptions,
  type ClientOptions,
  type CreateSessionOptions,
  SautiClient,
  type TranscriptionAnswer,
  type TranscriptionFormat,
  type TranscriptionRequest,
} from './server/client.ts'
export type { FetchInit, FetchLike, RetryPolicy } from './server/request.ts'
