// The stream's messages and events (4.4, 6) up to the first words: ready, settings, and mistakes that do not end it.

import type { SeenEvent } from '../recorded-stream.ts'
import { type Rule, rulesOf } from '../rule.ts'
import { type Conversation, conversation } from '../scenes/conversation.ts'
import { at, isText, same, see } from '../see.ts'
import { KIKUYU } from '../world.ts'

function typesOf(events: readonly SeenEvent[]): unknown[] {
  return events.map(({ type }) => type)
}

function ready({ opening }: Conversation): unknown {
  const event = opening.find(({ type }) => type === 'ready')
  see(event, 'ready never came')
  return event.json
}

const opening = rulesOf(conversation, [
  {
    id: 'ready.sequence',
    section: '6',
    text: 'First zero or more status, then ready.',
    look({ opening: events }) {
      same(typesOf(events).at(-1), 'ready', 'the last event of the opening')
      same(
        typesOf(events)
          .slice(0, -1)
          .filter(type => type !== 'status'),
        [],
        'the list of other events before ready',
      )
    },
  },
  {
    id: 'status.message',
    section: '6',
    text: 'status has a message.',
    look({ opening: events }) {
      for (const { type, json } of events) if (type === 'status') isText(at(json, 'message'), 'message')
    },
  },
  {
    id: 'ready.chunk-samples',
    section: 'decisions: identity',
    text: 'ready.chunk_samples is 17920: 14 frames of 80 ms.',
    look: recording => same(at(ready(recording), 'chunk_samples'), 17_920, 'chunk_samples'),
  },
  {
    id: 'ready.session',
    section: 'decisions: WebSocket',
    text: 'ready names the session, its model and its language.',
    look(recording) {
      same(at(ready(recording), 'session_id'), recording.session.id, 'session_id')
      same(at(ready(recording), 'model'), KIKUYU, 'model')
      same(at(ready(recording), 'language'), 'ki', 'language')
    },
  },
  {
    id: 'ready.limits',
    section: 'decisions: WebSocket',
    text: 'ready names the sample rate, the largest frame and the reserved seconds.',
    look(recording) {
      same(at(ready(recording), 'sample_rate_hz'), 16_000, 'sample_rate_hz')
      same(at(ready(recording), 'max_frame_bytes'), 65_536, 'max_frame_bytes')
      const reserved = at(recording.session.answer.json, 'credits.reserved')
      same(at(ready(recording), 'max_audio_seconds'), reserved, 'max_audio_seconds')
    },
  },
  {
    id: 'events.text',
    section: '6',
    text: 'Every event is a JSON text with a type.',
    look({ stream }) {
      for (const { isText: isTextFrame, type } of stream.events) {
        see(isTextFrame, 'a binary frame came')
        isText(type, 'type')
      }
    },
  },
])

type Wanted = Readonly<Record<string, unknown>>

/** Answered by exactly this. */
function isAnswered(events: readonly SeenEvent[], type: string, wanted: Wanted): void {
  same(typesOf(events), [type], 'the list of answers')
  for (const [path, value] of Object.entries(wanted)) same(at(events[0]?.json, path), value, path)
}

const DEFAULTS = { language: 'ki', context: [56, 13], chunk_samples: 17_920 }

const SETTINGS: readonly (readonly [keyof Conversation['settings'], string, string, string, Wanted])[] = [
  [
    'bare',
    'config.bare',
    '4.4',
    'A config with only its type is acknowledged and selects the defaults.',
    DEFAULTS,
  ],
  [
    'languageCode',
    'config.language-code',
    'decisions: WebSocket',
    'language takes the code of the language.',
    DEFAULTS,
  ],
  [
    'languageName',
    'config.language-name',
    'decisions: WebSocket',
    'language takes the name of the language.',
    DEFAULTS,
  ],
  [
    'lookAhead6',
    'config.look-ahead-6',
    'decisions: WebSocket',
    'context [56, 6] makes chunks of 8960 samples.',
    { context: [56, 6], chunk_samples: 8_960 },
  ],
  [
    'lookAhead3',
    'config.look-ahead-3',
    'decisions: WebSocket',
    'context [56, 3] makes chunks of 5120 samples.',
    { context: [56, 3], chunk_samples: 5_120 },
  ],
  [
    'lookAhead0',
    'config.look-ahead-0',
    'decisions: WebSocket',
    'context [56, 0] makes chunks of 1280 samples.',
    { context: [56, 0], chunk_samples: 1_280 },
  ],
  [
    'bareAgain',
    'config.defaults',
    '4.4',
    'A config with only its type selects the defaults again.',
    DEFAULTS,
  ],
  [
    'phrases',
    'config.phrases',
    'decisions: WebSocket',
    'context takes phrases.',
    { phrases: 2, context: [56, 13] },
  ],
]

const settings: readonly Rule[] = rulesOf(
  conversation,
  SETTINGS.map(([step, id, section, text, wanted]) => ({
    id,
    section,
    text,
    look: (recording: Conversation) => isAnswered(recording.settings[step], 'config_ack', wanted),
  })),
)

const MISTAKES: readonly (readonly [keyof Conversation['mistakes'], string, string])[] = [
  ['otherLanguage', 'language_mismatch', 'Another language than that of the model is a language_mismatch.'],
  ['wrongContext', 'invalid_message', 'A context that the model does not have is an invalid_message.'],
  ['tooManyPhrases', 'invalid_message', 'More than 100 phrases are an invalid_message.'],
  ['noJson', 'invalid_json', 'A text that is not JSON is invalid_json.'],
  ['unknownType', 'unknown_message_type', 'An unknown type is unknown_message_type.'],
]

const mistakes: readonly Rule[] = rulesOf(
  conversation,
  MISTAKES.map(([step, code, text]) => ({
    id: `mistakes.${step.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`,
    section: 'decisions: WebSocket',
    text,
    look(recording: Conversation) {
      const wanted = { code, fatal: false, session_id: recording.session.id }
      isAnswered(recording.mistakes[step], 'error', wanted)
    },
  })),
)

const others = rulesOf(conversation, [
  {
    id: 'mistakes.message',
    section: '6',
    text: 'error has a message.',
    look({ stream }) {
      for (const { type, json } of stream.events) if (type === 'error') isText(at(json, 'message'), 'message')
    },
  },
  {
    id: 'mistakes.not-fatal',
    section: 'decisions: WebSocket',
    text: 'Mistakes do not end the session: it continues until the client closes it.',
    look: ({ closing }) => same(closing?.code, 1000, 'the close code'),
  },
  {
    id: 'config.not-under-way',
    section: 'decisions: WebSocket',
    text: 'Settings do not change while an utterance is under way: config_not_allowed.',
    look({ configUnderWay }) {
      const error = configUnderWay.find(({ type }) => type !== 'delta')
      same(error?.type, 'error', 'the answer')
      same(at(error?.json, 'code'), 'config_not_allowed', 'code')
      same(at(error?.json, 'fatal'), false, 'fatal')
    },
  },
  {
    id: 'config.keepalive',
    section: 'decisions: WebSocket',
    text: 'A bare config is acknowledged even while an utterance is under way.',
    look: ({ bareConfigUnderWay }) => same(typesOf(bareConfigUnderWay).at(-1), 'config_ack', 'the answer'),
  },
  {
    id: 'ping.answered',
    section: '4.4',
    text: 'A ping is answered by a pong, as WebSocket requires.',
    look: ({ isPingAnswered }) => see(isPingAnswered, 'no pong came'),
  },
])

export const conversationRules = [...opening, ...settings, ...mistakes, ...others]
