// What a client of OpenAI's wire says: understood, or refused with the id of the event.

import { describe, expect, it } from 'vitest'
import { readClientEvent } from '#server/stream/wires/openai/client-events.js'

describe('an event of a client', () => {
  it.each([
    [
      { type: 'input_audio_buffer.append', audio: 'AQI=' },
      { type: 'append', audio: Buffer.from([1, 2]) },
    ],
    [
      { type: 'input_audio_buffer.append', audio: '' },
      { type: 'append', audio: Buffer.alloc(0) },
    ],
    [{ type: 'input_audio_buffer.commit' }, { type: 'commit' }],
    [{ type: 'input_audio_buffer.clear' }, { type: 'clear' }],
    [
      { type: 'session.update', session: {} },
      { type: 'update', change: { ignored: [] }, isEarlierForm: false },
    ],
    [
      { type: 'transcription_session.update', session: { audio: {} } },
      { type: 'update', change: { ignored: ['session.audio'] }, isEarlierForm: true },
    ],
  ])('%j is understood', (event, understood) => {
    expect(readClientEvent(JSON.stringify(event))).toEqual({ ...understood, id: null })
    expect(readClientEvent(JSON.stringify({ ...event, event_id: 'e1' }))).toEqual({ ...understood, id: 'e1' })
  })

  it.each([
    ['{', null, 'invalid_json', undefined],
    ['null', null, 'invalid_message', undefined],
    ['7', null, 'invalid_message', undefined],
    ['[]', null, 'invalid_message', undefined],
    [
      '{"event_id":"e1"}',
      'e1',
      'unknown_message_type',
      'The event type is not served in a transcription session.',
    ],
    ['{"type":"input_audio_buffer.append","audio":"?"}', null, 'invalid_message', 'audio must be Base64.'],
    [
      '{"type":"input_audio_buffer.append","audio":"?AQI="}',
      null,
      'invalid_message',
      'audio must be Base64.',
    ],
    [
      '{"type":"input_audio_buffer.append","audio":"AQI=?"}',
      null,
      'invalid_message',
      'audio must be Base64.',
    ],
    ['{"type":"input_audio_buffer.append"}', null, 'invalid_message', 'audio must be Base64.'],
  ])('%s is refused, with the id of the event', (text, id, code, message) => {
    const event = readClientEvent(text)
    expect(event).toMatchObject({ id, type: 'invalid', error: { code, ...(message ? { message } : {}) } })
  })

  it('keeps the reason of the parser, and only the beginning of a long id', () => {
    expect(readClientEvent('{')).toMatchObject({ error: { cause: expect.any(SyntaxError) } })
    const event_id = 'e'.repeat(600)
    expect(readClientEvent(JSON.stringify({ event_id })).id).toHaveLength(512)
  })
})
