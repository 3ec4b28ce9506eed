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
  StatusEvent,
  Word,
} from '@sauti/protocol/stream'
export { type CallOptions, type ClientOptions, type CreateSessionOptions, SautiClient } from './client.ts'
export type { LiveSessionGrant } from './connection.ts'
export { SautiApiError, SautiError, SautiStreamError, type StreamFailure } from './errors.ts'
export { LiveSession, type LiveSessionOptions, type LiveSettings, openLiveSession } from './live-session.ts'
export { captureMicrophone, type Level, type Microphone, type MicrophoneOptions } from './microphone.ts'
export { floatToPcm16, mixToMono, type Pcm, toPcm16k } from './pcm.ts'
export type { FetchInit, FetchLike, RetryPolicy } from './request.ts'
export { createResampler, type Resampler } from './resample.ts'
export type { Connect, WebSocketLike } from './socket.ts'
