// The schemas of /v1 (spec 2). The same objects validate requests, shape answers and make the OpenAPI document.

import { type Static, Type } from 'typebox'
import {
  CHANNELS,
  CONTEXT_SIZE,
  DEFAULT_AUDIO_SECONDS,
  ENCODER_FRAME_MS,
  ENCODING,
  MAX_AUDIO_SECONDS,
  MIN_AUDIO_SECONDS,
  SAMPLE_RATE_HZ,
} from './audio.ts'
import { MODEL_IDS } from './models.ts'
import { CREDENTIAL_PREFIX, STREAM_PROTOCOL } from './stream.ts'

export const MAX_BODY_BYTES = 16 * 1024
export const MAX_RECENT_SESSIONS = 20
export const CREDENTIAL_LIFETIME_SECONDS = 60
export const API_KEY_PREFIX = 'svc_live_v1_'
export const IDEMPOTENCY_KEY_PATTERN = '^[A-Za-z0-9._:-]{1,128}$'
export const SESSION_STATUSES = ['reserved', 'active', 'completed', 'failed', 'expired'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

const strict = { additionalProperties: false } as const
const Uuid = Type.String({ format: 'uuid' })
const DateTime = Type.String({ format: 'date-time' })
const ModelIdSchema = Type.Enum([...MODEL_IDS])
const milliseconds = (description: string) => Type.Integer({ minimum: 0, description })

const audioFormat = {
  encoding: Type.Literal(ENCODING, { description: 'Signed 16-bit little-endian PCM.' }),
  sample_rate_hz: Type.Literal(SAMPLE_RATE_HZ),
  channels: Type.Literal(CHANNELS),
}

export const Model = Type.Object(
  {
    id: ModelIdSchema,
    object: Type.Literal('model'),
    capability: Type.Literal('asr.streaming'),
    language: Type.String({ description: 'Name of the language.' }),
    language_code: Type.String({ description: 'Code of the language, ISO 639.' }),
    max_audio_seconds: Type.Literal(MAX_AUDIO_SECONDS, { description: 'Longest session of this model.' }),
    audio: Type.Object(audioFormat),
  },
  { title: 'Model' },
)
export type Model = Static<typeof Model>

export const ModelList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(Model) },
  { title: 'ModelList' },
)
export type ModelList = Static<typeof ModelList>

export const CreateSessionRequest = Type.Object(
  {
    // Any string passes here: one that names no model is 404 model_not_found, not 400.
    model: Type.String({ minLength: 1, examples: [...MODEL_IDS], description: 'The id of a model.' }),
    max_audio_seconds: Type.Optional(
      Type.Integer({
        minimum: MIN_AUDIO_SECONDS,
        maximum: MAX_AUDIO_SECONDS,
        default: DEFAULT_AUDIO_SECONDS,
        description: 'Upper bound of the reservation; the reservation may be lower.',
      }),
    ),
  },
  { title: 'CreateSessionRequest', ...strict },
)
export type CreateSessionRequest = Static<typeof CreateSessionRequest>

export const AsrSession = Type.Object(
  {
    id: Uuid,
    object: Type.Literal('asr.session'),
    status: Type.Literal('reserved'),
    model: ModelIdSchema,
    websocket_url: Type.String({
      format: 'uri',
      pattern: '^wss://',
      description: 'Where to open the stream.',
    }),
    websocket_protocols: Type.Tuple(
      [
        Type.Literal(STREAM_PROTOCOL),
        Type.String({
          pattern: `^${CREDENTIAL_PREFIX.replaceAll('.', '\\.')}`,
          description: 'The credential of the session: secret, for one use.',
        }),
      ],
      { description: 'Offer both as WebSocket subprotocols, in this order.' },
    ),
    expires_at: Type.String({
      format: 'date-time',
      description: `When the credential expires: ${CREDENTIAL_LIFETIME_SECONDS} seconds after creation.`,
    }),
    audio: Type.Object({
      ...audioFormat,
      max_audio_seconds: Type.Number({
        minimum: MIN_AUDIO_SECONDS,
        maximum: MAX_AUDIO_SECONDS,
        description: 'The limit that holds for this session; it may be lower than what was asked for.',
      }),
      context_size: Type.Tuple([Type.Literal(CONTEXT_SIZE[0]), Type.Literal(CONTEXT_SIZE[1])], {
        description: `Encoder frames of ${ENCODER_FRAME_MS} ms that the model looks back and ahead.`,
      }),
    }),
    credits: Type.Object({
      unit: Type.Literal('audio_second'),
      reserved: Type.Number({ minimum: MIN_AUDIO_SECONDS, description: 'Set aside for this session.' }),
      remaining: Type.Number({ minimum: 0, description: 'What is left for other sessions.' }),
    }),
  },
  { title: 'AsrSession' },
)
export type AsrSession = Static<typeof AsrSession>

export const UsageSession = Type.Object(
  {
    id: Uuid,
    model: ModelIdSchema,
    status: Type.Enum([...SESSION_STATUSES]),
    audio_ms: milliseconds('Audio that was accepted.'),
    billable_ms: milliseconds('What it cost: whole seconds, rounded up; 0 when the service failed.'),
    created_at: DateTime,
    completed_at: Type.Union([DateTime, Type.Null()], { description: 'When it ended; null until then.' }),
  },
  { title: 'UsageSession' },
)
export type UsageSession = Static<typeof UsageSession>

export const CreditBalance = Type.Object(
  {
    object: Type.Literal('credit_balance'),
    unit: Type.Literal('audio_millisecond'),
    available_ms: milliseconds('Free for new sessions.'),
    reserved_ms: milliseconds('Set aside for open sessions.'),
    consumed_ms: milliseconds('Used, over the life of the account.'),
    recent_sessions: Type.Array(UsageSession, {
      maxItems: MAX_RECENT_SESSIONS,
      description: 'Newest first.',
    }),
  },
  { title: 'CreditBalance' },
)
export type CreditBalance = Static<typeof CreditBalance>

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      type: Type.String({ description: 'The kind of error.' }),
      code: Type.String({ description: 'Stable; what a program should look at.' }),
      message: Type.String({ description: 'Safe to show.' }),
      request_id: Type.String({ format: 'uuid', description: 'The same as X-Request-Id.' }),
    }),
  },
  { title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>
