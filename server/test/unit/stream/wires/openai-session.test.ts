// The settings of OpenAI's transcription session, in both forms: what an update changes, and what it is told where it is refused.

import { describe, expect, it } from 'vitest'
import { describeEarlierSession, describeSession } from '#server/stream/wires/openai/messages.js'
import { configOf, DEFAULT_SESSION, readUpdate } from '#server/stream/wires/openai/session.js'

const PCM = { encoding: 'pcm_s16le', sampleRateHz: 24_000, channels: 1 } as const
const PCMU = { encoding: 'mulaw', sampleRateHz: 8_000, channels: 1 } as const
const PCMA = { encoding: 'alaw', sampleRateHz: 8_000, channels: 1 } as const
const input = (fields: object) => ({ audio: { input: fields } })

describe('an update in the present form', () => {
  it.each([
    [{}, { ignored: [] }],
    [{ type: 'transcription', audio: null }, { ignored: [] }],
    [input({ format: {} }), { format: PCM, ignored: [] }],
    [
      input({ format: { type: 'audio/pcm', rate: 16_000 } }),
      { format: { ...PCM, sampleRateHz: 16_000 }, ignored: [] },
    ],
    [input({ format: { type: 'audio/pcmu' } }), { format: PCMU, ignored: [] }],
    [input({ format: { type: 'audio/pcma' } }), { format: PCMA, ignored: [] }],
    [input({ transcription: null }), { ignored: [] }],
    [
      input({ transcription: { model: 'whisper-1', language: 'ki', prompt: 'a, b' } }),
      { modelName: 'whisper-1', language: 'ki', prompt: 'a, b', ignored: [] },
    ],
    [
      input({ transcription: { languages: ['en', 'luo'], keywords: ['a b', 'c'] } }),
      { language: 'luo', keywords: ['a b', 'c'], ignored: [] },
    ],
    [input({ transcription: { language: 'ki', languages: ['luo'] } }), { language: 'ki', ignored: [] }],
    [
      input({ transcription: { language: 'ki', delay: 'low' } }),
      { language: 'ki', ignored: ['session.audio.input.transcription.delay'] },
    ],
    [
      input({
        transcription: { model: null, language: null, languages: null, prompt: null, keywords: null },
      }),
      { ignored: [] },
    ],
    [input({ turn_detection: null }), { silenceMs: undefined, ignored: [] }],
    [input({ turn_detection: { type: 'server_vad' } }), { silenceMs: 500, ignored: [] }],
    [
      input({ turn_detection: { type: 'server_vad', silence_duration_ms: null } }),
      { silenceMs: 500, ignored: [] },
    ],
    [
      input({ turn_detection: { type: 'server_vad', silence_duration_ms: 200 } }),
      { silenceMs: 200, ignored: [] },
    ],
    [
      input({ turn_detection: { type: 'server_vad', silence_duration_ms: 4999.6 } }),
      { silenceMs: 5000, ignored: [] },
    ],
    [
      input({ turn_detection: { type: 'server_vad', silence_duration_ms: 5000 } }),
      { silenceMs: 5000, ignored: [] },
    ],
    [
      {
        include: [],
        tools: null,
        audio: {
          output: {},
          input: { noise_reduction: {}, turn_detection: { type: 'server_vad', threshold: 0.5 } },
        },
      },
      {
        silenceMs: 500,
        ignored: [
          'session.include',
          'session.audio.output',
          'session.audio.input.noise_reduction',
          'session.audio.input.turn_detection.threshold',
        ],
      },
    ],
  ])('%j', (session, change) => {
    expect(readUpdate(session, false)).toStrictEqual(change)
  })

  it.each([
    [null, 'session must be an object.'],
    [[], 'session must be an object.'],
    ['x', 'session must be an object.'],
    [{ type: 'realtime' }, 'session.type must be transcription: nothing else is served here.'],
    [{ audio: 1 }, 'session.audio must be an object.'],
    [input([]), 'session.audio.input must be an object.'],
    [input({ format: 'pcm' }), 'session.audio.input.format must be an object.'],
    [
      input({ format: { type: 'audio/mp3' } }),
      'session.audio.input.format.type must be audio/pcm, audio/pcmu or audio/pcma.',
    ],
    [
      input({ format: { rate: 1 } }),
      'session.audio.input.format.rate must be one of 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000.',
    ],
    [input({ transcription: 'whisper-1' }), 'transcription must be an object.'],
    [input({ transcription: { model: 1 } }), 'transcription.model must be a string.'],
    [input({ transcription: { language: 1 } }), 'transcription.language must be a string.'],
    [input({ transcription: { prompt: 1 } }), 'transcription.prompt must be a string.'],
    [input({ transcription: { keywords: 'a' } }), 'transcription.keywords must be a list of strings.'],
    [input({ transcription: { languages: [1] } }), 'transcription.languages must be a list of strings.'],
    [input({ transcription: { keywords: ['a', 1] } }), 'transcription.keywords must be a list of strings.'],
    [
      input({ transcription: { languages: ['ki', 'luo'] } }),
      'transcription.languages can contain only one of ki, luo: each has a model of its own.',
    ],
    [
      input({ transcription: { languages: ['en'] } }),
      'The language "en" is not known here. Known are ki (Kikuyu), luo (Dholuo).',
    ],
    [input({ turn_detection: 1 }), 'session.audio.input.turn_detection must be an object.'],
    [
      input({ turn_detection: { type: 'semantic_vad' } }),
      'session.audio.input.turn_detection.type must be server_vad, or turn_detection null.',
    ],
  ])('%j is refused', (session, message) => {
    expect(() => readUpdate(session, false)).toThrow(
      expect.objectContaining({ code: 'invalid_message', message }),
    )
  })

  it.each([199, 5001, '500'])('a silence of %j is refused', silence_duration_ms => {
    const update = () =>
      readUpdate(input({ turn_detection: { type: 'server_vad', silence_duration_ms } }), false)
    expect(update).toThrow('session.audio.input.turn_detection.silence_duration_ms must be from 200 to 5000.')
  })

  it('names at most twenty fields that it ignores, and the beginning of their names', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, 1]))
    expect(readUpdate(many, false).ignored).toHaveLength(20)
    expect(readUpdate({ ['n'.repeat(50)]: 1 }, false).ignored).toEqual([`session.${'n'.repeat(40)}`])
  })
})

describe('an update in the earlier form', () => {
  it.each([
    [{}, { ignored: [] }],
    [{ input_audio_format: 'pcm16' }, { format: PCM, ignored: [] }],
    [{ input_audio_format: 'g711_ulaw' }, { format: PCMU, ignored: [] }],
    [{ input_audio_format: 'g711_alaw' }, { format: PCMA, ignored: [] }],
    [
      { input_audio_transcription: { model: 'whisper-1' }, include: [] },
      { modelName: 'whisper-1', ignored: ['session.include'] },
    ],
    [
      { input_audio_transcription: { language: 'ki', delay: 'low' } },
      { language: 'ki', ignored: ['session.input_audio_transcription.delay'] },
    ],
    [{ turn_detection: { silence_duration_ms: 700 } }, { silenceMs: 700, ignored: [] }],
    [
      { turn_detection: { type: 'server_vad', prefix_padding_ms: 1 } },
      { silenceMs: 500, ignored: ['session.turn_detection.prefix_padding_ms'] },
    ],
  ])('%j', (session, change) => {
    expect(readUpdate(session, true)).toStrictEqual(change)
  })

  it.each(['mp3', 'toString', 16, ['pcm16']])('is refused for the format %j', input_audio_format => {
    expect(() => readUpdate({ input_audio_format }, true)).toThrow(
      'session.input_audio_format must be one of pcm16, g711_ulaw, g711_alaw.',
    )
  })
})

describe('the recogniser', () => {
  it.each([
    [{}, []],
    [{ format: PCM }, []],
    [{ prompt: ' a,b; ;c\nd ' }, [{ type: 'config', phrases: ['a', 'b', 'c', 'd'] }]],
    [{ silenceMs: 700 }, [{ type: 'config', endpointing: { silence_ms: 700 } }]],
    [{ silenceMs: undefined }, [{ type: 'config', endpointing: false }]],
    [{ prompt: '', silenceMs: 700 }, [{ type: 'config', phrases: [], endpointing: { silence_ms: 700 } }]],
    [{ keywords: ['e f'] }, [{ type: 'config', phrases: ['e f'] }]],
  ])('is told of %j', (change, requests) => {
    expect(configOf(change, { ...DEFAULT_SESSION, ...change })).toStrictEqual(requests)
  })

  it('is told of the words of prompt and keywords together, up to a limit', () => {
    const session = { ...DEFAULT_SESSION, prompt: 'a, b', keywords: ['c d'] }
    expect(configOf({ prompt: 'a, b' }, session)).toStrictEqual([
      { type: 'config', phrases: ['a', 'b', 'c d'] },
    ])
    const long = { ...session, prompt: 'x'.repeat(1_998) }
    expect(() => configOf({ keywords: ['c d'] }, long)).toThrow(
      expect.objectContaining({
        code: 'invalid_message',
        message:
          'transcription.prompt and keywords can contain at most 100 phrases with 2000 characters in total.',
      }),
    )
  })
})

describe('a session', () => {
  it('is described in both forms', () => {
    const named = { ...DEFAULT_SESSION, modelName: 'whisper-1', prompt: 'a' }
    const transcription = { model: 'whisper-1', language: null, prompt: 'a' }
    const turn_detection = { type: 'server_vad', silence_duration_ms: 500 }
    expect(describeSession('sess_1', named)).toEqual({
      id: 'sess_1',
      object: 'realtime.transcription_session',
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription,
          turn_detection,
          noise_reduction: null,
        },
      },
      include: [],
    })
    expect(describeEarlierSession('sess_1', named)).toEqual({
      id: 'sess_1',
      object: 'realtime.transcription_session',
      input_audio_format: 'pcm16',
      input_audio_transcription: transcription,
      turn_detection,
    })
  })

  it.each([
    [PCMU, { type: 'audio/pcmu' }, 'g711_ulaw'],
    [PCMA, { type: 'audio/pcma' }, 'g711_alaw'],
  ])('names its format %j', (format, present, earlier) => {
    const session = { ...DEFAULT_SESSION, format, silenceMs: undefined }
    const described = { format: present, transcription: null, turn_detection: null }
    expect(describeSession('s', session)).toMatchObject({ audio: { input: described } })
    expect(describeEarlierSession('s', session)).toMatchObject({
      input_audio_format: earlier,
      input_audio_transcription: null,
    })
  })

  it('tells its language and keywords', () => {
    const session = { ...DEFAULT_SESSION, modelName: 'm', language: 'ki', keywords: ['a'] }
    expect(describeEarlierSession('s', session)).toMatchObject({
      input_audio_transcription: { model: 'm', language: 'ki', prompt: '', keywords: ['a'] },
    })
  })
})
