// Schemas of the stream's messages (spec 4.4 and 6): what the AsyncAPI document and the reference are made of. The types in
// stream.ts are what programs use; a test holds the two against each other.

import { Type } from 'typebox'
import { LEFT_CONTEXT_FRAMES, LOOK_AHEADS, MAX_FRAME_BYTES, SAMPLE_RATE_HZ } from './audio.ts'
import { ERRORS } from './errors.ts'
import { MODEL_IDS } from './models.ts'
import { MAX_PHRASES, MAX_PHRASES_CHARACTERS } from './stream.ts'

const LookAhead = Type.Enum([...LOOK_AHEADS])
const Utterance = Type.Integer({ minimum: 1, description: 'Counts the utterances of the session, from 1.' })
const ChunkSamples = Type.Integer({
  minimum: 1,
  description: 'Samples that the model takes at once: how long it waits before new text.',
})
const Milliseconds = (description: string) => Type.Integer({ minimum: 0, description })

// ---- client to server

export const ConfigMessage = Type.Object(
  {
    type: Type.Literal('config'),
    language: Type.Optional(
      Type.String({ minLength: 1, description: "The language of the session's model, as code or name." }),
    ),
    context: Type.Optional(
      Type.Union(
        [
          Type.Tuple([Type.Literal(LEFT_CONTEXT_FRAMES), LookAhead], {
            description: 'The look-ahead: frames of 80 ms that are heard before a word is written.',
          }),
          Type.Array(Type.String(), {
            maxItems: MAX_PHRASES,
            description: `Phrases that the speaker is likely to say, ${MAX_PHRASES_CHARACTERS} characters in all.`,
          }),
        ],
        { description: 'Look-ahead, or phrases. Send two messages to set both.' },
      ),
    ),
  },
  {
    title: 'Config',
    description: 'Changes settings between utterances. Without fields it keeps the session alive.',
  },
)

export const FlushMessage = Type.Object(
  { type: Type.Literal('flush') },
  { title: 'Flush', description: 'Ends the utterance. Answered by exactly one final, in order.' },
)

export const ResetMessage = Type.Object(
  { type: Type.Literal('reset') },
  {
    title: 'Reset',
    description:
      'Drops the unfinished utterance. What was accepted of it stays billed. Answered by reset_ack.',
  },
)

// ---- server to client

export const StatusEvent = Type.Object(
  { type: Type.Literal('status'), message: Type.String() },
  { title: 'Status', description: 'May come while the session starts.' },
)

export const ReadyEvent = Type.Object(
  {
    type: Type.Literal('ready'),
    chunk_samples: ChunkSamples,
    session_id: Type.String({ format: 'uuid' }),
    model: Type.Enum([...MODEL_IDS]),
    language: Type.String({ description: 'Code of the language.' }),
    sample_rate_hz: Type.Literal(SAMPLE_RATE_HZ),
    max_audio_seconds: Type.Number({
      minimum: 1,
      description: 'The reservation: more audio than this is not taken.',
    }),
    max_frame_bytes: Type.Literal(MAX_FRAME_BYTES),
  },
  { title: 'Ready', description: 'Audio may be sent from now on.' },
)

export const ConfigAckEvent = Type.Object(
  {
    type: Type.Literal('config_ack'),
    language: Type.String(),
    context: Type.Tuple([Type.Literal(LEFT_CONTEXT_FRAMES), LookAhead]),
    phrases: Type.Integer({ minimum: 0, description: 'How many phrases are favoured.' }),
    chunk_samples: ChunkSamples,
  },
  { title: 'ConfigAck', description: 'The settings that hold from now on.' },
)

export const ResetAckEvent = Type.Object(
  { type: Type.Literal('reset_ack'), utterance: Utterance },
  { title: 'ResetAck', description: 'The utterance was dropped; the next one has this number.' },
)

export const DeltaEvent = Type.Object(
  {
    type: Type.Literal('delta'),
    text: Type.String({ description: 'The whole utterance so far.' }),
    append: Type.String({ description: 'Only what is new in it.' }),
    utterance: Utterance,
    audio_ms: Milliseconds('Audio that was heard so far, over the whole session.'),
  },
  { title: 'Delta', description: 'The evolving transcript.' },
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
    text: Type.String({ description: 'Empty when nothing was said.' }),
    utterance: Utterance,
    words: Type.Array(WordSchema),
    audio_ms: Milliseconds('Audio that was accepted so far, over the whole session.'),
    billable_ms: Milliseconds('What the session costs so far: rounded up to the second.'),
    remaining_ms: Milliseconds('What is left of the reservation.'),
  },
  { title: 'Final', description: 'The utterance, after a flush.' },
)

export const ErrorEventSchema = Type.Object(
  {
    type: Type.Literal('error'),
    message: Type.String({ description: 'Safe to show.' }),
    code: Type.Enum(Object.keys(ERRORS) as (keyof typeof ERRORS)[]),
    fatal: Type.Boolean({ description: 'true: the connection closes now, with this code as its reason.' }),
    session_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
  },
  { title: 'Error', description: 'Before every close by the server, and for what does not end the session.' },
)

export const CLIENT_MESSAGES = [ConfigMessage, FlushMessage, ResetMessage] as const
export const SERVER_EVENTS = [
  StatusEvent,
  ReadyEvent,
  ConfigAckEvent,
  ResetAckEvent,
  DeltaEvent,
  FinalEvent,
  ErrorEventSchema,
] as const
