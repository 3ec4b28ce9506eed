// The streaming protocol (spec 4.4 and 6): what a client may send, what the server sends, and how text becomes a message.
// Types and a small parser, nothing else: the SDK brings this file into browsers.

import {
  LEFT_CONTEXT_FRAMES,
  LOOK_AHEADS,
  type LookAhead,
  OPUS_RATES_HZ,
  SAMPLE_RATES_HZ,
  type SampleRateHz,
  STREAM_ENCODINGS,
  type StreamEncoding,
} from './audio.ts'
import { ServiceError, type StreamErrorCode } from './errors.ts'
import type { ModelId } from './models.ts'

export const STREAM_PATH = '/v1/asr/stream'
export const STREAM_PROTOCOL = 'svc.realtime.v1'
export const CREDENTIAL_PREFIX = 'svc.auth.'

export const MAX_TEXT_BYTES = 16 * 1024
/** How much silence may end an utterance, where a client asks for endpointing. */
export const MIN_SILENCE_MS = 200
export const MAX_SILENCE_MS = 5_000

export const MAX_PHRASES = 100
export const MAX_PHRASES_CHARACTERS = 2_000

// ---- client to server

export interface ConfigMessage {
  type: 'config'
  language?: string
  /** `[56, r]`, where r is a look-ahead of the model; or phrases that the speaker is expected to say. */
  context?: readonly [typeof LEFT_CONTEXT_FRAMES, LookAhead] | readonly string[]
  /** The service ends the utterance when words are followed by this much silence; `false`, the default, leaves it to `flush`. */
  endpointing?: EndpointingSettings | false
  /** The format of the audio from now on; mono. */
  audio?: AudioSettings
}
export interface AudioSettings {
  encoding: StreamEncoding
  sample_rate_hz: SampleRateHz
}
export interface EndpointingSettings {
  silence_ms: number
}
export interface FlushMessage {
  type: 'flush'
}
export interface ResetMessage {
  type: 'reset'
}
export type ClientMessage = ConfigMessage | FlushMessage | ResetMessage

/** A config message with the two kinds of `context` separated. */
export interface ConfigRequest {
  type: 'config'
  language?: string
  lookAhead?: LookAhead
  phrases?: readonly string[]
  endpointing?: EndpointingSettings | false
  audio?: AudioSettings
}
export type ClientRequest = ConfigRequest | FlushMessage | ResetMessage

// ---- server to client

export interface StatusEvent {
  type: 'status'
  message: string
}
export interface ReadyEvent {
  type: 'ready'
  chunk_samples: number
  session_id: string
  model: ModelId
  language: string
  sample_rate_hz: number
  max_audio_seconds: number
  max_frame_bytes: number
}
export interface ConfigAckEvent {
  type: 'config_ack'
  language: string
  context: readonly [number, LookAhead]
  phrases: number
  chunk_samples: number
  /** Only where it is on. */
  endpointing?: EndpointingSettings
  /** Only where it is not mono 16 kHz PCM16. */
  audio?: AudioSettings
}
export interface ResetAckEvent {
  type: 'reset_ack'
  utterance: number
}
export interface DeltaEvent {
  type: 'delta'
  /** The whole utterance so far. */
  text: string
  /** Only what is new in it. */
  append: string
  utterance: number
  audio_ms: number
}
export interface Word {
  text: string
  start_ms: number
  end_ms: number
  confidence: number
}
export interface FinalEvent {
  type: 'final'
  text: string
  utterance: number
  words: readonly Word[]
  audio_ms: number
  billable_ms: number
  remaining_ms: number
  /** Only where silence ended the utterance, not a flush. */
  cause?: 'endpoint'
}
/** Somebody began to speak; only with endpointing. */
export interface SpeechStartedEvent {
  type: 'speech_started'
  /** From the first sample of the session. */
  audio_ms: number
}
/** The speaker has been silent for as long as was asked for; only with endpointing. */
export interface SpeechEndedEvent {
  type: 'speech_ended'
  /** When the last word ended, from the first sample of the session. */
  audio_ms: number
}
export interface ErrorEvent {
  type: 'error'
  message: string
  code: StreamErrorCode
  fatal: boolean
  session_id: string | null
}
export type ServerEvent =
  | StatusEvent
  | ReadyEvent
  | ConfigAckEvent
  | ResetAckEvent
  | DeltaEvent
  | FinalEvent
  | SpeechStartedEvent
  | SpeechEndedEvent
  | ErrorEvent

// ---- text to message

/** Reads a text frame. Throws invalid_json, unknown_message_type or invalid_message; fields it does not know are ignored. */
export function parseClientMessage(text: string): ClientRequest {
  const message = parseObject(text)
  switch (message.type) {
    case 'config':
      return parseConfig(message)
    case 'flush':
      return { type: 'flush' }
    case 'reset':
      return { type: 'reset' }
    default:
      throw new ServiceError('unknown_message_type')
  }
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('invalid_json', { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('invalid_message', { message: 'A message must be a JSON object with a type.' })
  }
  return value as Record<string, unknown>
}

function parseConfig({ language, context, endpointing, audio }: Record<string, unknown>): ConfigRequest {
  const request: ConfigRequest = { type: 'config' }
  if (audio !== undefined) request.audio = parseAudio(audio)
  if (endpointing !== undefined) request.endpointing = parseEndpointing(endpointing)
  if (language !== undefined) request.language = parseLanguage(language)
  if (context !== undefined) Object.assign(request, parseContext(context))
  return request
}

function parseLanguage(language: unknown): string {
  if (typeof language === 'string' && language !== '') return language
  throw new ServiceError('invalid_message', { message: 'language must be a language code or name.' })
}

function parseAudio(audio: unknown): AudioSettings {
  const { encoding, sample_rate_hz } = (audio ?? {}) as Record<string, unknown>
  const knownEncoding = STREAM_ENCODINGS.find(known => known === encoding)
  const rates: readonly SampleRateHz[] = knownEncoding === 'opus' ? OPUS_RATES_HZ : SAMPLE_RATES_HZ
  const knownRate = rates.find(known => known === sample_rate_hz)
  if (knownEncoding && knownRate) return { encoding: knownEncoding, sample_rate_hz: knownRate }
  throw new ServiceError('invalid_message', {
    message:
      `audio must have an encoding (${STREAM_ENCODINGS.join(', ')}) ` +
      `and a sample_rate_hz (${rates.join(', ')}).`,
  })
}

function parseEndpointing(endpointing: unknown): EndpointingSettings | false {
  if (endpointing === false) return false
  const { silence_ms } = (endpointing ?? {}) as Record<string, unknown>
  const isInRange =
    Number.isInteger(silence_ms) &&
    Number(silence_ms) >= MIN_SILENCE_MS &&
    Number(silence_ms) <= MAX_SILENCE_MS
  if (isInRange) return { silence_ms: Number(silence_ms) }
  throw new ServiceError('invalid_message', {
    message: `endpointing must be false or {"silence_ms": n} with n from ${MIN_SILENCE_MS} to ${MAX_SILENCE_MS}.`,
  })
}

function parseContext(context: unknown): Pick<ConfigRequest, 'lookAhead' | 'phrases'> {
  if (!Array.isArray(context)) throw invalidContext()
  if (context.length > 0 && context.every(item => typeof item === 'number')) {
    return { lookAhead: parseLookAhead(context) }
  }
  if (context.every(item => typeof item === 'string')) return { phrases: parsePhrases(context) }
  throw invalidContext()
}

function parseLookAhead(context: readonly number[]): LookAhead {
  const [left, ahead] = context
  const lookAhead = LOOK_AHEADS.find(known => known === ahead)
  if (context.length === 2 && left === LEFT_CONTEXT_FRAMES && lookAhead !== undefined) return lookAhead
  throw invalidContext()
}

function parsePhrases(phrases: readonly string[]): readonly string[] {
  const characters = phrases.reduce((sum, phrase) => sum + [...phrase].length, 0)
  if (phrases.length <= MAX_PHRASES && characters <= MAX_PHRASES_CHARACTERS) return phrases
  throw new ServiceError('invalid_message', {
    message: `context can contain at most ${MAX_PHRASES} phrases with ${MAX_PHRASES_CHARACTERS} characters in total.`,
  })
}

function invalidContext(): ServiceError {
  return new ServiceError('invalid_message', {
    message: `context must be [${LEFT_CONTEXT_FRAMES}, r] with r one of ${LOOK_AHEADS.join(', ')}, or an array of phrases.`,
  })
}

export function encodeEvent(event: ServerEvent): string {
  return JSON.stringify(event)
}
