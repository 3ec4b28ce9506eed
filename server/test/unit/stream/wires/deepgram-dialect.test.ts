// A conversation on Deepgram's wire, frame by frame and event by event.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DeepgramDialect, MAX_MESSAGE_BYTES } from '#server/stream/wires/deepgram/dialect.js'
import { readLiveOptions } from '#server/stream/wires/deepgram/live-options.js'

const MODEL = 'svc-asr-kikuyu-v1'
const WORD = { text: 'nyumba', start_ms: 100, end_ms: 600, confidence: 0.5 }
const OTHER_WORD = { text: 'yakwa', start_ms: 700, end_ms: 1_000, confidence: 0.7512 }
const NOTHING_MORE = { type: 'finished', session_id: 'sess-1', audio_ms: 1_500, billable_ms: 2_000 } as const

function startWith(query: string, monotonicMs = () => 0): DeepgramDialect {
  const options = readLiveOptions(new URLSearchParams(`model=${MODEL}&${query}`))
  return new DeepgramDialect({ options, clock: () => new Date(0), monotonicMs })
}

function start(more = '') {
  let nowMs = 0
  const dialect = startWith(`encoding=linear16&sample_rate=16000&${more}`, () => nowMs)
  const pass = (ms: number) => {
    nowMs += ms
  }
  const send = (message: unknown) => dialect.parse(Buffer.from(JSON.stringify(message)), false)
  const tell = (event: Parameters<DeepgramDialect['encode']>[0]) =>
    dialect.encode(event).map(text => JSON.parse(text))
  return { dialect, pass, send, tell }
}

function final(text: string, audio_ms: number, more: object = {}) {
  const words = text === '' ? [] : [WORD, OTHER_WORD]
  const bill = { billable_ms: 2_000, remaining_ms: 0 }
  return { type: 'final', text, utterance: 0, words, audio_ms, ...bill, ...more } as const
}

const ready = {
  type: 'ready',
  chunk_samples: 17_920,
  session_id: 'sess-1',
  model: MODEL,
  language: 'ki',
  sample_rate_hz: 16_000,
  max_audio_seconds: 60,
  max_frame_bytes: 65_536,
} as const
const delta = { type: 'delta', text: 'nyumba', append: 'nyumba', utterance: 0, audio_ms: 1_120 } as const

describe('what a client says', () => {
  it('is audio, which may come at once', () => {
    const { dialect } = start()
    const bytes = Buffer.alloc(320)
    expect(dialect.parse(bytes, true)).toEqual([{ type: 'audio', bytes }])
    expect(dialect.takesEarlyAudio).toBe(true)
    expect(dialect.greeting).toEqual([])
    expect(MAX_MESSAGE_BYTES).toBe(131_072)
  })

  it('is KeepAlive, Finalize or CloseStream', () => {
    const { dialect, send } = start()
    expect(send({ type: 'KeepAlive' })).toEqual([])
    expect(send({ type: 'Finalize' })).toEqual([{ type: 'flush' }])
    expect(send({ type: 'CloseStream' })).toEqual([{ type: 'finish' }])
    expect(dialect.parse(Buffer.alloc(0), true)).toEqual([{ type: 'finish' }])
  })

  it.each(['Hello', undefined])('is refused with another type: %s', type => {
    expect(() => start().send({ type })).toThrow(
      expect.objectContaining({
        code: 'unknown_message_type',
        message: 'The message type is unknown. Supported types: KeepAlive, Finalize and CloseStream.',
      }),
    )
  })

  it.each(['null', '7', '"Finalize"'])('is refused where it is not an object: %s', text => {
    const parse = () => start().dialect.parse(Buffer.from(text), false)
    expect(parse).toThrow(expect.objectContaining({ code: 'unknown_message_type' }))
  })

  it('is refused where it is not JSON, with the reason of the parser', () => {
    const parse = () => start().dialect.parse(Buffer.from('{'), false)
    const cause = expect.any(SyntaxError)
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid_json', cause }))
  })

  it.each([
    ['Finalize', 'flush'],
    ['CloseStream', 'finish'],
  ])('ends with what the filter has kept back: %s', (type, request) => {
    const dialect = startWith('encoding=mulaw')
    dialect.parse(Buffer.alloc(800, 0xff), true)
    const requests = dialect.parse(Buffer.from(JSON.stringify({ type })), false)
    expect(requests.map(one => one.type)).toEqual(['audio', request])
  })
})

describe('the settings of the address', () => {
  it.each([
    ['', { endpointing: { silence_ms: 300 } }],
    ['endpointing=false', { endpointing: false }],
    ['keyterm=Gatanga', { endpointing: { silence_ms: 300 }, phrases: ['Gatanga'] }],
  ])('%s', (query, fields) => {
    expect(start(query).dialect.firstRequests).toEqual([{ type: 'config', ...fields }])
  })

  it('tell the engine of Opus, whose packets pass as they are', () => {
    const dialect = startWith('encoding=opus')
    expect(dialect.firstRequests[0]).toMatchObject({ audio: { encoding: 'opus', sample_rate_hz: 48_000 } })
    const packet = Buffer.from([0x08, 1, 2, 3])
    expect(dialect.parse(packet, true)).toEqual([{ type: 'audio', bytes: packet }])
    expect(dialect.parse(Buffer.from('{"type":"Finalize"}'), false)).toEqual([{ type: 'flush' }])
  })

  it('ask for words of interim results only where those are wanted', () => {
    expect(start('interim_results=true').dialect.interimWords).toBe(true)
    expect(start().dialect.interimWords).toBe(false)
  })
})

describe('results', () => {
  const channel = {
    alternatives: [
      {
        transcript: 'nyumba yakwa',
        confidence: 0.626,
        words: [
          { word: 'nyumba', start: 0.1, end: 0.6, confidence: 0.5, punctuated_word: 'nyumba' },
          { word: 'yakwa', start: 0.7, end: 1, confidence: 0.7512, punctuated_word: 'yakwa' },
        ],
      },
    ],
  }
  const model_info = { name: MODEL, version: 'v1', arch: 'fastconformer-transducer' }

  it('have seconds, the session and the model', () => {
    const { tell } = start('tag=mine')
    expect(tell(ready)).toEqual([])
    const warnings = [{ parameter: 'tag', type: 'ignored', message: 'Usage reports have no labels.' }]
    expect(tell(final('nyumba yakwa', 1_500, { cause: 'endpoint' }))).toEqual([
      {
        type: 'Results',
        channel_index: [0, 1],
        duration: 1.5,
        start: 0,
        is_final: true,
        speech_final: true,
        channel,
        metadata: { request_id: 'sess-1', model_info, model_uuid: MODEL, warnings },
        from_finalize: false,
      },
    ])
  })

  it('begin where the last ones ended, and know which Finalize they answer', () => {
    const { send, tell } = start()
    send({ type: 'Finalize' })
    expect(tell(final('', 1_000, { cause: 'endpoint' }))).toMatchObject([{ from_finalize: false }])
    expect(tell(final('', 1_000))).toMatchObject([{ start: 1, duration: 0, from_finalize: true }])
    expect(tell(final('', 3_000))).toMatchObject([{ start: 1, duration: 2, from_finalize: false }])
    // The end of a stream without further text.
    expect(tell(final('', 3_000))).toEqual([])
    expect(tell(final('', 3_500))[0].channel.alternatives).toEqual([
      { transcript: '', confidence: 0, words: [] },
    ])
  })

  it('come in between only where a client asked', () => {
    expect(start().tell({ ...delta, words: [WORD] })).toEqual([])
    expect(start('interim_results=true').tell({ ...delta, words: [WORD] })).toMatchObject([
      {
        type: 'Results',
        start: 0,
        duration: 1.12,
        is_final: false,
        speech_final: false,
        from_finalize: false,
        channel: { alternatives: [{ transcript: 'nyumba', confidence: 0.5 }] },
        metadata: { request_id: '', model_info, model_uuid: MODEL },
      },
    ])
  })

  it('end with Metadata: what was heard, and its hash', () => {
    const { dialect, tell } = start()
    const audio = Buffer.from([1, 2, 3, 4])
    dialect.parse(audio, true)
    expect(tell(NOTHING_MORE)).toEqual([
      {
        type: 'Metadata',
        transaction_key: 'deprecated',
        request_id: 'sess-1',
        sha256: createHash('sha256').update(audio).digest('hex'),
        created: '1970-01-01T00:00:00.000Z',
        duration: 1.5,
        channels: 1,
        models: [MODEL],
        model_info: { [MODEL]: model_info },
      },
    ])
  })
})

describe('events', () => {
  it('of speech are told where a client asked', () => {
    expect(start().tell({ type: 'speech_started', audio_ms: 320 })).toEqual([])
    expect(start('vad_events=true').tell({ type: 'speech_started', audio_ms: 320 })).toEqual([
      { type: 'SpeechStarted', channel: [0, 1], timestamp: 0.32 },
    ])
    expect(start('vad_events=true').tell({ type: 'speech_ended', audio_ms: 320 })).toEqual([])
  })

  it('say when an utterance is over: by audio, by the next speech, and at the end', () => {
    const over = [{ type: 'UtteranceEnd', channel: [0, 1], last_word_end: 1 }]
    const { dialect, pass, tell } = start('utterance_end_ms=1000')
    expect(tell(final('nyumba yakwa', 1_200))).toHaveLength(1)
    pass(1_000)
    expect(dialect.parse(Buffer.alloc(63_968), true)).toHaveLength(1)
    expect(dialect.parse(Buffer.alloc(32), true)).toMatchObject([
      { type: 'audio' },
      { type: 'notice', text: JSON.stringify(over[0]) },
    ])
    const another = start('utterance_end_ms=1000')
    another.tell(final('nyumba yakwa', 1_200))
    expect(another.tell({ type: 'speech_started', audio_ms: 2_000 })).toEqual(over)
    const last = start('utterance_end_ms=1000')
    last.tell(final('nyumba yakwa', 1_200))
    const told = last.tell({ ...NOTHING_MORE, audio_ms: 2_000 })
    expect(told.map(({ type }) => type)).toEqual(['UtteranceEnd', 'Metadata'])
  })

  it('say when an utterance was over whose words came late', () => {
    const { tell } = start('utterance_end_ms=1000')
    tell({ type: 'speech_started', audio_ms: 2_000 })
    expect(tell(final('nyumba yakwa', 2_100))[1]).toMatchObject({ type: 'UtteranceEnd', last_word_end: 1 })
    tell({ type: 'speech_ended', audio_ms: 2_500 })
    tell({ type: 'speech_started', audio_ms: 3_500 })
    const wordless = final('aca', 2_600, { words: [] })
    expect(tell(wordless)[1]).toMatchObject({ type: 'UtteranceEnd', last_word_end: 2.5 })
  })

  it('say nothing about its end to a client that did not ask', () => {
    const { dialect, pass, tell } = start()
    tell(final('nyumba yakwa', 1_200))
    pass(9_000)
    expect(dialect.parse(Buffer.alloc(320_000), true)).toHaveLength(1)
  })

  it('name the end of the last word, also of an only one', () => {
    const { tell } = start('utterance_end_ms=1000')
    tell(final('nyumba', 1_200, { words: [WORD] }))
    expect(tell({ type: 'speech_started', audio_ms: 9_000 })).toMatchObject([{ last_word_end: 0.6 }])
  })

  it('say nothing about an utterance without text', () => {
    const { tell } = start('utterance_end_ms=1000')
    tell(final('', 1_200))
    expect(tell({ type: 'speech_started', audio_ms: 9_000 })).toEqual([])
  })

  it('of our own protocol that Deepgram does not have are not told', () => {
    const { tell } = start()
    expect(tell({ type: 'status', message: 'waiting' })).toEqual([])
    expect(tell({ type: 'reset_ack', utterance: 1 })).toEqual([])
    const ack = { language: 'ki', context: [56, 13], phrases: 0, chunk_samples: 17_920 } as const
    expect(tell({ type: 'config_ack', ...ack })).toEqual([])
  })

  it('of failure have its code, and the limit of this wire', () => {
    const error = { type: 'error', message: 'Try again.', fatal: true, session_id: null } as const
    expect(start().tell({ ...error, code: 'engine_unavailable' })).toEqual([
      { type: 'Error', variant: 'engine_unavailable', description: 'Try again.', message: 'Try again.' },
    ])
    expect(start().tell({ ...error, code: 'frame_too_large' })[0].message).toBe(
      'A binary message can contain at most 131072 bytes.',
    )
  })

  it.each([
    [undefined, { code: 1000, reason: '' }],
    ['idle_timeout', { code: 1011, reason: 'NET-0001 idle_timeout' }],
    ['engine_unavailable', { code: 1013, reason: 'engine_unavailable' }],
    ['slow_consumer', { code: 1008, reason: 'slow_consumer' }],
  ] as const)('close %s', (code, frame) => {
    expect(start().dialect.closeFrame(code)).toEqual(frame)
  })
})
