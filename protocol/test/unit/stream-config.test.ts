// The fields of a config message, each with its limits, and the texts that a client is told.

import { describe, expect, it } from 'vitest'
import { ServiceError } from '#protocol/errors.js'
import {
  CREDENTIAL_PREFIX,
  encodeEvent,
  MAX_TEXT_BYTES,
  parseClientMessage,
  STREAM_PATH,
  STREAM_PROTOCOL,
} from '#protocol/stream.js'

const config = (fields: object) => parseClientMessage(JSON.stringify({ type: 'config', ...fields }))

function refusalOf(text: string): ServiceError {
  try {
    parseClientMessage(text)
  } catch (error) {
    if (error instanceof ServiceError) return error
  }
  throw new Error(`${text} was not refused`)
}

const AUDIO_REFUSED =
  'audio must have an encoding (pcm_s16le, mulaw, alaw, opus) and a sample_rate_hz ' +
  '(8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000).'
const OPUS_REFUSED =
  'audio must have an encoding (pcm_s16le, mulaw, alaw, opus) and a sample_rate_hz (8000, 12000, 16000, 24000, 48000).'
const SILENCE_REFUSED = 'endpointing must be false or {"silence_ms": n} with n from 200 to 5000.'
const CONTEXT_REFUSED = 'context must be [56, r] with r one of 13, 6, 3, 0, or an array of phrases.'

describe('the audio of a stream', () => {
  it.each([
    { encoding: 'pcm_s16le', sample_rate_hz: 44_100 },
    { encoding: 'mulaw', sample_rate_hz: 8_000 },
    { encoding: 'alaw', sample_rate_hz: 8_000 },
    { encoding: 'opus', sample_rate_hz: 48_000 },
  ])('may be %j', audio => {
    expect(config({ audio })).toEqual({ type: 'config', audio })
  })

  it.each([
    [null, AUDIO_REFUSED],
    [{}, AUDIO_REFUSED],
    [{ encoding: 'flac', sample_rate_hz: 16_000 }, AUDIO_REFUSED],
    [{ encoding: 'mulaw', sample_rate_hz: 8_001 }, AUDIO_REFUSED],
    [{ encoding: 'mulaw' }, AUDIO_REFUSED],
    [{ encoding: 'opus', sample_rate_hz: 44_100 }, OPUS_REFUSED],
  ])('may not be %j', (audio, message) => {
    expect(refusalOf(JSON.stringify({ type: 'config', audio }))).toMatchObject({
      code: 'invalid_message',
      message,
    })
  })
})

describe('endpointing', () => {
  it.each([false, { silence_ms: 200 }, { silence_ms: 5_000 }])('may be %j', endpointing => {
    expect(config({ endpointing })).toEqual({ type: 'config', endpointing })
  })

  it.each([
    true,
    null,
    {},
    { silence_ms: 199 },
    { silence_ms: 5_001 },
    { silence_ms: 300.5 },
    { silence_ms: '300' },
  ])('may not be %j', endpointing => {
    const refusal = refusalOf(JSON.stringify({ type: 'config', endpointing }))
    expect(refusal).toMatchObject({ code: 'invalid_message', message: SILENCE_REFUSED })
  })
})

describe('a refused message', () => {
  it.each([
    ['[]', 'A message must be a JSON object with a type.'],
    ['{"type":"config","language":""}', 'language must be a language code or name.'],
    ['{"type":"config","context":7}', CONTEXT_REFUSED],
    ['{"type":"config","context":[56,13,"a"]}', CONTEXT_REFUSED],
    [
      JSON.stringify({ type: 'config', context: Array(101).fill('a') }),
      'context can contain at most 100 phrases with 2000 characters in total.',
    ],
  ])('%s is told what is wrong', (text, message) => {
    expect(refusalOf(text)).toMatchObject({ code: 'invalid_message', message })
  })

  it('that is not JSON keeps the reason of the parser', () => {
    expect(refusalOf('{').cause).toBeInstanceOf(SyntaxError)
  })
})

describe('the names of the wire', () => {
  it('are those of the specification', () => {
    expect({ STREAM_PATH, STREAM_PROTOCOL, CREDENTIAL_PREFIX, MAX_TEXT_BYTES }).toEqual({
      STREAM_PATH: '/v1/asr/stream',
      STREAM_PROTOCOL: 'svc.realtime.v1',
      CREDENTIAL_PREFIX: 'svc.auth.',
      MAX_TEXT_BYTES: 16_384,
    })
    expect(encodeEvent({ type: 'reset_ack', utterance: 2 })).toBe('{"type":"reset_ack","utterance":2}')
  })
})
