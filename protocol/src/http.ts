// The schemas of /v1 (spec 2). The same objects validate requests, shape answers and make the OpenAPI document.

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
import { type Static, Type } from './schema.ts'
import { CREDENTIAL_PREFIX, STREAM_PROTOCOL } from './stream.ts'

/** Of the interface (spec 9), not of this program. */
export const INTERFACE_VERSION = '1.0.0'
export const MAX_BODY_BYTES = 16 * 1024
export const MAX_RECENT_SESSIONS = 20
export const CREDENTIAL_LIFETIME_SECONDS = 60
export const IDEMPOTENCY_KEY_PATTERN = '^[A-Za-z0-9._:-]{1,128}$'
export const SESSION_STATUSES = ['reserved', 'active', 'completed', 'failed', 'expired'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

const strict = { additionalProperties: false } as const
const DateTime = Type.String({ format: 'date-time' })
const ModelIdSchema = Type.Enum([...MODEL_IDS], { description: 'Model ID.' })
const SessionId = Type.String({ format: 'uuid', description: 'Session ID.' })
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
    language: Type.String({ description: 'Language name.' }),
    language_code: Type.String({ description: 'Language code (ISO 639).' }),
    max_audio_seconds: Type.Literal(MAX_AUDIO_SECONDS, { description: 'Maximum audio per session.' }),
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
    model: Type.String({ minLength: 1, examples: [...MODEL_IDS], description: 'Model ID.' }),
    max_audio_seconds: Type.Optional(
      Type.Integer({
        minimum: MIN_AUDIO_SECONDS,
        maximum: MAX_AUDIO_SECONDS,
        default: DEFAULT_AUDIO_SECONDS,
        description: 'Audio to reserve. Less is reserved if less credit is left.',
      }),
    ),
  },
  { title: 'CreateSessionRequest', ...strict },
)
export type CreateSessionRequest = Static<typeof CreateSessionRequest>

export const AsrSession = Type.Object(
  {
    id: SessionId,
    object: Type.Literal('asr.session'),
    status: Type.Literal('reserved'),
    model: ModelIdSchema,
    websocket_url: Type.String({
      format: 'uri',
      pattern: '^wss://',
      description: 'Address of the stream.',
    }),
    websocket_protocols: Type.Tuple(
      [
        Type.Literal(STREAM_PROTOCOL),
        Type.String({
          pattern: `^${CREDENTIAL_PREFIX.replaceAll('.', '\\.')}`,
          description: 'Session credential. It is secret and works once.',
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
        description: 'Audio limit of this session. It can be lower than requested.',
      }),
      context_size: Type.Tuple([Type.Literal(CONTEXT_SIZE[0]), Type.Literal(CONTEXT_SIZE[1])], {
        description: `How far the model looks back and ahead, in frames of ${ENCODER_FRAME_MS} ms.`,
      }),
    }),
    credits: Type.Object({
      unit: Type.Literal('audio_second'),
      reserved: Type.Number({ minimum: MIN_AUDIO_SECONDS, description: 'Credit reserved for this session.' }),
      remaining: Type.Number({ minimum: 0, description: 'Credit left for other sessions.' }),
    }),
  },
  { title: 'AsrSession' },
)
export type AsrSession = Static<typeof AsrSession>

export const UsageSession = Type.Object(
  {
    id: SessionId,
    model: ModelIdSchema,
    status: Type.Enum([...SESSION_STATUSES], { description: 'How far the session is, or how it ended.' }),
    audio_ms: milliseconds('Audio that was accepted.'),
    billable_ms: milliseconds('What it cost: whole seconds, rounded up; 0 when the service failed.'),
    created_at: Type.String({ format: 'date-time', description: 'When the session was created.' }),
    completed_at: Type.Union([DateTime, Type.Null()], {
      description: 'When the session ended. `null` while it is open.',
    }),
  },
  { title: 'UsageSession' },
)
export type UsageSession = Static<typeof UsageSession>

export const CreditBalance = Type.Object(
  {
    object: Type.Literal('credit_balance'),
    unit: Type.Literal('audio_millisecond'),
    available_ms: milliseconds('Available for new sessions.'),
    reserved_ms: milliseconds('Reserved for open sessions.'),
    consumed_ms: milliseconds('Used since the account was created.'),
    recent_sessions: Type.Array(UsageSession, {
      maxItems: MAX_RECENT_SESSIONS,
      description: 'Newest first.',
    }),
  },
  { title: 'CreditBalance' },
)
export type CreditBalance = Static<typeof CreditBalance>

const seconds = (description: string) => Type.Number({ minimum: 0, description })
const transcriptionUsage = Type.Object({
  type: Type.Literal('duration'),
  seconds: Type.Integer({ minimum: 0, description: 'Billed seconds, rounded up.' }),
})

export const Transcription = Type.Object(
  { text: Type.String({ description: 'The transcript.' }), usage: transcriptionUsage },
  { title: 'Transcription' },
)
export type Transcription = Static<typeof Transcription>

export const VerboseTranscription = Type.Object(
  {
    task: Type.Literal('transcribe'),
    language: Type.String({ description: 'Language name in lower case.' }),
    duration: seconds('Length of the audio, in seconds.'),
    text: Type.String({ description: 'The transcript.' }),
    words: Type.Optional(
      Type.Array(
        Type.Object({
          word: Type.String({ description: 'One word.' }),
          start: seconds('In seconds.'),
          end: seconds('In seconds.'),
        }),
        { description: 'Present with the granularity `word`.' },
      ),
    ),
    segments: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.Integer({ minimum: 0, description: 'Position of the segment in the list.' }),
          seek: Type.Integer({
            minimum: 0,
            description: 'Position of the segment in hundredths of a second.',
          }),
          start: seconds('In seconds.'),
          end: seconds('In seconds.'),
          text: Type.String({ description: 'The text of the segment.' }),
          tokens: Type.Array(Type.Integer(), { description: 'Always empty.' }),
          temperature: Type.Number({ description: 'Always 0.' }),
          avg_logprob: Type.Number({ description: 'Mean log confidence of the words.' }),
          compression_ratio: Type.Number({ description: 'Always 1.' }),
          no_speech_prob: Type.Number({ description: 'Always 0.' }),
        }),
        { description: 'Present with the granularity `segment`, which is the default.' },
      ),
    ),
    usage: transcriptionUsage,
  },
  { title: 'VerboseTranscription' },
)
export type VerboseTranscription = Static<typeof VerboseTranscription>

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      type: Type.String({ description: 'The kind of error.' }),
      code: Type.String({ description: 'Stable code for programs.' }),
      message: Type.String({ description: 'Message that is safe to show to people.' }),
      request_id: Type.String({ format: 'uuid', description: 'Same as the `X-Request-Id` header.' }),
    }),
  },
  { title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>
