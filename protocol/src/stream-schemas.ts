// Schemas of the stream's messages (spec 4.4 and 6): what the AsyncAPI document and the reference are made of. The types in
// stream.ts are what programs use; a test compares the two.

import {
  LEFT_CONTEXT_FRAMES,
  LOOK_AHEADS,
  MAX_FRAME_BYTES,
  OPUS_RATES_HZ,
  SAMPLE_RATE_HZ,
  SAMPLE_RATES_HZ,
  STREAM_ENCODINGS,
} from './audio.ts'
import { STREAM_ERROR_CODES } from './errors.ts'
import { MODEL_IDS } from './models.ts'
import { Type } from './schema.ts'
import { MAX_PHRASES, MAX_PHRASES_CHARACTERS, MAX_SILENCE_MS, MIN_SILENCE_MS } from './stream.ts'

const LookAhead = Type.Enum([...LOOK_AHEADS])
const Utterance = Type.Integer({
  minimum: 1,
  description: 'Number of the utterance in the session, starting at 1.',
})
const ChunkSamples = Type.Integer({
  minimum: 1,
  description: 'Samples that the model processes at once. New text appears at most this often.',
})
const Milliseconds = (description: string) => Type.Integer({ minimum: 0, description })

const Endpointing = Type.Object(
  {
    silence_ms: Type.Integer({
      minimum: MIN_SILENCE_MS,
      maximum: MAX_SILENCE_MS,
      description: 'Silence after speech that ends the utterance.',
    }),
  },
  { title: 'Endpointing' },
)

const AudioFormat = Type.Object(
  { encoding: Type.Enum([...STREAM_ENCODINGS]), sample_rate_hz: Type.Enum([...SAMPLE_RATES_HZ]) },
  {
    title: 'AudioFormat',
    description: `Mono samples, or Opus: one packet per binary message, mono or stereo, at a rate of ${OPUS_RATES_HZ.join(', ')}.`,
  },
)

// ---- client to server

export const ConfigMessage = Type.Object(
  {
    type: Type.Literal('config'),
    language: Type.Optional(
      Type.String({ minLength: 1, description: "Language of the session's model, as a code or a name." }),
    ),
    context: Type.Optional(
      Type.Union(
        [
          Type.Tuple([Type.Literal(LEFT_CONTEXT_FRAMES), LookAhead], {
            description: 'Look-ahead: number of 80 ms frames that the model hears before it writes a word.',
          }),
          Type.Array(Type.String(), {
            maxItems: MAX_PHRASES,
            description: `Phrases that the speaker is likely to say, at most ${MAX_PHRASES_CHARACTERS} characters in total.`,
          }),
        ],
        { description: 'Look-ahead or phrases. To set both, send two messages.' },
      ),
    ),
    endpointing: Type.Optional(
      Type.Union([Endpointing, Type.Literal(false)], {
        description: 'Lets the server end utterances after silence. Off (`false`) by default.',
      }),
    ),
    audio: Type.Optional(AudioFormat),
  },
  {
    title: 'Config',
    description:
      'Changes settings between utterances. Without any fields, it restores the defaults. Any `config` keeps the session alive.',
  },
)

export const FlushMessage = Type.Object(
  { type: Type.Literal('flush') },
  {
    title: 'Flush',
    description: 'Ends the utterance. The server replies with exactly one `final`, in order.',
  },
)

export const ResetMessage = Type.Object(
  { type: Type.Literal('reset') },
  {
    title: 'Reset',
    description:
      'Discards the current utterance. Its accepted audio is still billed. The server replies with `reset_ack`.',
  },
)

// ---- server to client

export const StatusEvent = Type.Object(
  { type: Type.Literal('status'), message: Type.String() },
  { title: 'Status', description: 'May be sent while the session starts.' },
)

export const ReadyEvent = Type.Object(
  {
    type: Type.Literal('ready'),
    chunk_samples: ChunkSamples,
    session_id: Type.String({ format: 'uuid' }),
    model: Type.Enum([...MODEL_IDS]),
    language: Type.String({ description: 'Language code.' }),
    sample_rate_hz: Type.Literal(SAMPLE_RATE_HZ),
    max_audio_seconds: Type.Number({
      minimum: 1,
      description: 'Reserved audio. Audio beyond this is not accepted.',
    }),
    max_frame_bytes: Type.Literal(MAX_FRAME_BYTES),
  },
  { title: 'Ready', description: 'The session is ready for audio.' },
)

export const ConfigAckEvent = Type.Object(
  {
    type: Type.Literal('config_ack'),
    language: Type.String(),
    context: Type.Tuple([Type.Literal(LEFT_CONTEXT_FRAMES), LookAhead]),
    phrases: Type.Integer({ minimum: 0, description: 'Number of phrases that are preferred.' }),
    chunk_samples: ChunkSamples,
    endpointing: Type.Optional(Endpointing),
    audio: Type.Optional(AudioFormat),
  },
  { title: 'ConfigAck', description: 'The settings that apply from now on.' },
)

export const ResetAckEvent = Type.Object(
  { type: Type.Literal('reset_ack'), utterance: Utterance },
  { title: 'ResetAck', description: 'The utterance was discarded. The next one has this number.' },
)

export const DeltaEvent = Type.Object(
  {
    type: Type.Literal('delta'),
    text: Type.String({ description: 'The text of the utterance so far.' }),
    append: Type.String({ description: 'Only the new part of the text.' }),
    utterance: Utterance,
    audio_ms: Milliseconds('Audio processed so far in the session.'),
  },
  { title: 'Delta', description: 'The transcript of the current utterance as it grows.' },
)

export const WordSchema = Type.Object(
  {
    text: Type.String(),
    start_ms: Milliseconds('From the first sample of the session.'),
    end_ms: Milliseconds('From the first sample of the session.'),
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
  },
  { title: 'Word' },
)

export const FinalEvent = Type.Object(
  {
    type: Type.Literal('final'),
    text: Type.String({ description: 'Empty if no speech was recognised.' }),
    utterance: Utterance,
    words: Type.Array(WordSchema),
    audio_ms: Milliseconds('Audio accepted so far in the session.'),
    billable_ms: Milliseconds('Amount billed for the session so far, rounded up to the second.'),
    remaining_ms: Milliseconds('Reserved audio that is left.'),
    cause: Type.Optional(
      Type.Literal('endpoint', { description: 'Present if silence ended the utterance, not a flush.' }),
    ),
  },
  {
    title: 'Final',
    description: 'The final text of an utterance, after a flush or, with endpointing, after silence.',
  },
)

export const SpeechStartedEvent = Type.Object(
  {
    type: Type.Literal('speech_started'),
    audio_ms: Milliseconds('When speech began, counted from the first sample of the session.'),
  },
  { title: 'SpeechStarted', description: 'Someone began to speak. Only with endpointing.' },
)

export const SpeechEndedEvent = Type.Object(
  {
    type: Type.Literal('speech_ended'),
    audio_ms: Milliseconds('When speech ended, counted from the first sample of the session.'),
  },
  {
    title: 'SpeechEnded',
    description: 'The speaker has been silent for `silence_ms`. A `final` follows if words were recognised.',
  },
)

export const ErrorEventSchema = Type.Object(
  {
    type: Type.Literal('error'),
    message: Type.String({ description: 'Message that is safe to show to people.' }),
    code: Type.Enum([...STREAM_ERROR_CODES]),
    fatal: Type.Boolean({
      description: 'If `true`, the connection closes now with this code as its reason.',
    }),
    session_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
  },
  {
    title: 'Error',
    description:
      'Sent before the server closes the connection, and for problems that do not end the session.',
  },
)

export const CLIENT_MESSAGES = [ConfigMessage, FlushMessage, ResetMessage] as const
export const SERVER_EVENTS = [
  StatusEvent,
  ReadyEvent,
  ConfigAckEvent,
  ResetAckEvent,
  DeltaEvent,
  FinalEvent,
  SpeechStartedEvent,
  SpeechEndedEvent,
  ErrorEventSchema,
] as const
