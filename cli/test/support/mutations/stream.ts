// Wrong events of a stream.

import { randomUUID } from 'node:crypto'
import type { Fault, Loose } from '../wrong-service.ts'
import { events, inPlace, type Mutation, set } from './make.ts'

/** A delta that has forgotten its beginning. */
const shrinking: Fault = {
  event(event, { events: before }) {
    if (event.type !== 'delta' || !before.some(({ type }) => type === 'delta')) return [event]
    return [{ ...event, text: event.append }]
  },
}

export const stream: readonly Mutation[] = [
  {
    name: 'a delta comes before ready',
    rule: 'ready.sequence',
    fault: events('ready', event => [
      { type: 'delta', text: 'x', append: 'x', utterance: 1, audio_ms: 0 },
      event,
    ]),
  },
  { name: 'ready never comes', rule: 'ready.sequence', fault: events('ready', () => []) },
  {
    name: 'a status without a message',
    rule: 'status.message',
    fault: set('status', { message: undefined }),
  },
  {
    name: 'another chunk length',
    rule: 'ready.chunk-samples',
    fault: set('ready', { chunk_samples: 16_000 }),
  },
  {
    name: 'ready names another session',
    rule: 'ready.session',
    fault: events('ready', event => [{ ...event, session_id: randomUUID() }]),
  },
  {
    name: 'ready names a larger frame',
    rule: 'ready.limits',
    fault: set('ready', { max_frame_bytes: 131_072 }),
  },
  {
    name: 'an event is sent as a binary frame',
    rule: 'events.text',
    fault: events('final', event => [Buffer.from(JSON.stringify(event))]),
  },
  { name: 'config is not acknowledged', rule: 'config.bare', fault: events('config_ack', () => []) },
  {
    name: 'config is acknowledged twice',
    rule: 'config.language-name',
    fault: events('config_ack', event => [event, event]),
  },
  {
    name: 'a bare config keeps the settings',
    rule: 'config.defaults',
    fault: set('config_ack', { context: [56, 0], chunk_samples: 1280 }),
  },
  { name: 'phrases are ignored', rule: 'config.phrases', fault: set('config_ack', { phrases: 0 }) },
  {
    name: 'the chunk length does not follow the look-ahead',
    rule: 'config.look-ahead-6',
    fault: set('config_ack', { chunk_samples: 17_920 }),
  },
  {
    name: 'any language is taken',
    rule: 'mistakes.other-language',
    fault: inPlace('"luo"', [{ type: 'config_ack', language: 'luo' }]),
  },
  {
    name: 'broken JSON is ignored',
    rule: 'mistakes.no-json',
    fault: {
      frame: (data, isBinary) =>
        !isBinary && String(data) === '{"type":' ? [] : [isBinary ? data : String(data)],
    },
  },
  {
    name: 'broken JSON is an unknown type',
    rule: 'mistakes.no-json',
    fault: {
      event: event => [event.code === 'invalid_json' ? { ...event, code: 'unknown_message_type' } : event],
    },
  },
  {
    name: 'an unknown type is fatal',
    rule: 'mistakes.unknown-type',
    fault: { event: event => [event.code === 'unknown_message_type' ? { ...event, fatal: true } : event] },
  },
  {
    name: 'errors name no session',
    rule: 'mistakes.wrong-context',
    fault: set('error', { session_id: null }),
  },
  { name: 'an error without a message', rule: 'mistakes.message', fault: set('error', { message: '' }) },
  {
    name: 'settings change while an utterance is under way',
    rule: 'config.not-under-way',
    fault: {
      event: event => [
        event.code === 'config_not_allowed' ? { type: 'config_ack', context: [56, 6] } : event,
      ],
    },
  },
  { name: 'pings are ignored', rule: 'ping.answered', fault: { ignoresPings: true } },
  { name: 'no delta comes', rule: 'delta.text', fault: events('delta', () => []) },
  { name: 'a delta shrinks', rule: 'delta.grows', fault: shrinking },
  {
    name: 'append is the whole text',
    rule: 'delta.grows',
    fault: events('delta', event => [{ ...event, append: event.text }]),
  },
  {
    name: 'deltas run ahead of the audio',
    rule: 'delta.audio-ms',
    fault: events('delta', event => [{ ...event, audio_ms: event.audio_ms + 60_000 }]),
  },
  {
    name: 'deltas count utterances from 0',
    rule: 'delta.utterance',
    fault: events('delta', event => [{ ...event, utterance: event.utterance - 1 }]),
  },
  {
    name: 'a delta comes after the final',
    rule: 'delta.before-final',
    fault: {
      event: (event, { events: before }) =>
        event.type === 'final' && event.text !== ''
          ? [event, before.findLast(({ type }) => type === 'delta')!]
          : [event],
    },
  },
  {
    name: 'the final is missing',
    rule: 'final.once',
    fault: events('final', event => (event.text === '' ? [event] : [])),
  },
  { name: 'the final comes twice', rule: 'final.once', fault: events('final', event => [event, event]) },
  {
    name: 'silence is not finalized',
    rule: 'final.silent',
    fault: events('final', event => (event.text === '' ? [] : [event])),
  },
  { name: 'the final is empty', rule: 'final.text', fault: set('final', { text: '' }) },
  {
    name: 'the final loses what the deltas said',
    rule: 'final.text',
    fault: events('final', event => [{ ...event, text: event.text.slice(1) }]),
  },
  { name: 'utterances are not counted', rule: 'final.utterances', fault: set('final', { utterance: 1 }) },
  {
    name: 'an odd byte is lost',
    rule: 'final.audio-ms',
    fault: {
      frame: (data, isBinary) => [
        isBinary ? data.subarray(0, data.length - (data.length % 2)) : String(data),
      ],
    },
  },
  {
    name: 'a final bills to the millisecond',
    rule: 'final.billable-ms',
    fault: events('final', event => [{ ...event, billable_ms: event.audio_ms }]),
  },
  { name: 'what remains is not told', rule: 'final.remaining-ms', fault: set('final', { remaining_ms: 0 }) },
  {
    name: 'a word is missing',
    rule: 'words.text',
    fault: events('final', event => [{ ...event, words: event.words.slice(1) }]),
  },
  {
    name: 'words begin before they can',
    rule: 'words.times',
    fault: events('final', event => [
      { ...event, words: event.words.map((word: Loose) => ({ ...word, start_ms: word.end_ms + 1 })) },
    ]),
  },
  {
    name: 'confidence is in percent',
    rule: 'words.confidence',
    fault: events('final', event => [
      {
        ...event,
        words: event.words.map((word: Loose) => ({ ...word, confidence: 1 + word.confidence * 100 })),
      },
    ]),
  },
  { name: 'reset is not acknowledged', rule: 'reset.acknowledged', fault: events('reset_ack', () => []) },
  {
    name: 'reset brings a final',
    rule: 'reset.no-final',
    fault: events('reset_ack', event => [{ type: 'final', text: '', utterance: 3, words: [] }, event]),
  },
  {
    name: 'dropped audio is not billed',
    rule: 'reset.stays-billed',
    fault: {
      event: (event, { events: before }) => [
        event.type === 'final' && before.some(({ type }) => type === 'reset_ack')
          ? { ...event, audio_ms: event.audio_ms - 500, billable_ms: event.billable_ms - 1000 }
          : event,
      ],
    },
  },
  {
    name: 'what was dropped comes back',
    rule: 'reset.drops-text',
    fault: {
      event: (event, { events: before }) => [
        event.type === 'final' && before.some(({ type }) => type === 'reset_ack')
          ? { ...event, text: 'again' }
          : event,
      ],
    },
  },
]
