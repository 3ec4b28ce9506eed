// A conversation on OpenAI's wire, event by event.

import { ServiceError } from '@sauti/protocol/errors'
import type { ErrorEvent } from '@sauti/protocol/stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Reply } from '#server/stream/dialect.js'
import { MAX_MESSAGE_BYTES, OpenAiDialect } from '#server/stream/wires/openai/dialect.js'
import { openAiErrorBody } from '#server/stream/wires/openai/errors.js'
import { ModelChoice } from '#server/stream/wires/openai/model-choice.js'

const MODEL = 'svc-asr-kikuyu-v1'
const choices: ModelChoice[] = []
afterEach(() => {
  for (const choice of choices.splice(0)) choice.giveUp()
  vi.useRealTimers()
})

/** `null`: the address named no model. */
function start(model: typeof MODEL | null = MODEL) {
  let ids = 0
  const choice = new ModelChoice(model ?? undefined)
  choices.push(choice)
  const dialect = new OpenAiDialect({ choice, newId: () => String(++ids) })
  const send = (event: object) => dialect.parse(Buffer.from(JSON.stringify(event)), false)
  const append = (bytes: number) =>
    send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(bytes).toString('base64') })
  const tell = (event: Parameters<OpenAiDialect['encode']>[0]) =>
    dialect.encode(event).map(text => JSON.parse(text))
  return { dialect, choice, send, append, tell }
}

const update = (fields: object) => ({ type: 'session.update', session: { audio: { input: fields } } })
const WIRE = { format: { type: 'audio/pcm', rate: 16_000 } }
const ACK = {
  type: 'config_ack',
  language: 'ki',
  context: [56, 13],
  phrases: 0,
  chunk_samples: 17_920,
} as const
const replyOf = (requests: readonly object[]) => JSON.parse((requests.at(-1) as Reply).write())
const final = (text: string, audio_ms: number) =>
  ({ type: 'final', text, utterance: 0, words: [], audio_ms, billable_ms: 0, remaining_ms: 0 }) as const
const endOfTurn = (text: string, audio_ms: number) =>
  ({ ...final(text, audio_ms), cause: 'endpoint' }) as const

describe('a connection', () => {
  it('is greeted with its session, and ends utterances by silence', () => {
    const { dialect } = start()
    expect(dialect.greeting.map(text => JSON.parse(text))).toMatchObject([
      {
        type: 'session.created',
        event_id: 'event_3',
        session: { id: 'sess_1', audio: { input: { transcription: { model: MODEL } } } },
      },
    ])
    expect(dialect.firstRequests).toEqual([{ type: 'config', endpointing: { silence_ms: 500 } }])
    expect(dialect.takesEarlyAudio).toBe(true)
    expect(dialect.interimWords).toBe(false)
    expect(MAX_MESSAGE_BYTES).toBe(2_561_024)
  })

  it('takes no binary frames', () => {
    expect(() => start().dialect.parse(Buffer.from([1]), true)).toThrow(
      expect.objectContaining({
        code: 'invalid_message',
        message: 'Send audio as input_audio_buffer.append.',
      }),
    )
  })

  it('refuses what it cannot read, and tells the error with the id of the event', () => {
    const { dialect, send, tell } = start()
    expect(() => dialect.parse(Buffer.from('{'), false)).toThrow(
      expect.objectContaining({ code: 'invalid_json' }),
    )
    expect(() => send({ type: 'hello', event_id: 'mine' })).toThrow(
      expect.objectContaining({ code: 'unknown_message_type' }),
    )
    const error = { type: 'error', message: '', fatal: false, session_id: null } as const
    expect(tell({ ...error, code: 'invalid_json' })[0].error.event_id).toBe(null)
    expect(tell({ ...error, code: 'unknown_message_type' })[0].error.event_id).toBe('mine')
  })

  it('tells each refusal with the id of its own event, however late', () => {
    const { dialect, send, tell } = start()
    expect(() => send({ type: 'hello', event_id: 'one' })).toThrow()
    expect(() => dialect.parse(Buffer.from([1]), true)).toThrow()
    expect(() => send({ type: 'hello', event_id: 'three' })).toThrow()
    send({ type: 'input_audio_buffer.clear', event_id: 'later' })
    const error = { type: 'error', message: '', fatal: false, session_id: null } as const
    const idOf = (code: ErrorEvent['code']) => tell({ ...error, code })[0].error.event_id
    expect([idOf('unknown_message_type'), idOf('invalid_message')]).toEqual(['one', null])
    expect([idOf('slow_consumer'), idOf('too_many_invalid_messages')]).toEqual(['later', 'three'])
  })

  it('tells a refusal that no parser saw with the id of the event that is being handled', () => {
    const { send, tell } = start()
    send({ type: 'input_audio_buffer.clear', event_id: 'mine' })
    const error = { type: 'error', message: '', fatal: false, session_id: null } as const
    expect(tell({ ...error, code: 'invalid_message' })[0].error.event_id).toBe('mine')
  })

  it('names no event where the settings that it began with are refused', () => {
    const { tell } = start()
    const error = { type: 'error', message: '', fatal: false, session_id: null } as const
    expect(tell({ ...error, code: 'config_not_allowed' })[0].error.event_id).toBe(null)
  })

  it.each([
    [undefined, { code: 1000, reason: '' }],
    ['idle_timeout', { code: 4408, reason: 'idle_timeout' }],
  ] as const)('closes %s', (code, frame) => {
    expect(start().dialect.closeFrame(code)).toEqual(frame)
  })
})

describe('an update', () => {
  it('is answered with the session that holds now', () => {
    const { send } = start()
    const requests = send(update({ ...WIRE, noise_reduction: {} }))
    expect(replyOf(requests)).toMatchObject({
      type: 'session.updated',
      session: { id: 'sess_1', audio: { input: { format: { rate: 16_000 } } } },
      ignored: ['session.audio.input.noise_reduction'],
    })
    const earlier = send({ type: 'transcription_session.update', session: {} })
    expect(replyOf(earlier)).toMatchObject({ type: 'transcription_session.updated' })
    expect(replyOf(earlier)).not.toHaveProperty('ignored')
    expect(replyOf(earlier)).toHaveProperty('session.input_audio_format', 'pcm16')
  })

  it('of turns or words is answered when the recogniser has confirmed it', () => {
    const { send, tell } = start()
    expect(send(update({ turn_detection: null }))).toEqual([{ type: 'config', endpointing: false }])
    expect(send(update({ transcription: { prompt: 'a' } }))).toEqual([{ type: 'config', phrases: ['a'] }])
    expect(send(update({ transcription: { keywords: ['b'] } }))).toEqual([
      { type: 'config', phrases: ['a', 'b'] },
    ])
    // What was asked for first, and not by the client.
    expect(tell(ACK)).toEqual([])
    expect(tell(ACK)).toMatchObject([
      { type: 'session.updated', session: { audio: { input: { turn_detection: null } } } },
    ])
    const told = [...tell(ACK), ...tell(ACK)].map(({ session }) => session.audio.input.transcription)
    expect(told).toMatchObject([{ prompt: 'a' }, { prompt: 'a', keywords: ['b'] }])
  })

  it('back to what holds is asked for while another one is still to be confirmed', () => {
    const { send, tell } = start()
    tell(ACK)
    const asBefore = { type: 'server_vad', silence_duration_ms: 500 }
    send(update({ turn_detection: null }))
    expect(send(update({ turn_detection: asBefore }))).toEqual([
      { type: 'config', endpointing: { silence_ms: 500 } },
    ])
  })

  it('that comes too late is an error, and the session stays as it was', () => {
    const { send, tell } = start()
    tell(ACK)
    send(update({ turn_detection: null }))
    const refusal = { type: 'error', message: '', fatal: false, session_id: null } as const
    expect(tell({ ...refusal, code: 'config_not_allowed' })).toMatchObject([{ type: 'error' }])
    expect(replyOf(send(update(WIRE)))).toHaveProperty(
      'session.audio.input.turn_detection.type',
      'server_vad',
    )
  })

  it('that comes too late is refused by its own name, whatever was sent after it', () => {
    const { send, tell } = start()
    tell(ACK)
    send({ ...update({ turn_detection: null }), event_id: 'late' })
    send({ type: 'input_audio_buffer.clear', event_id: 'later' })
    const refusal = { type: 'error', message: '', fatal: false, session_id: null } as const
    expect(tell({ ...refusal, code: 'config_not_allowed' })).toMatchObject([{ error: { event_id: 'late' } }])
  })

  it('is confirmed in its turn: one that was refused waits for no confirmation, any other error changes nothing', () => {
    const { send, tell } = start()
    const refusal = { type: 'error', message: '', fatal: false, session_id: null } as const
    tell(ACK)
    send(update({ turn_detection: null }))
    tell({ ...refusal, code: 'config_not_allowed' })
    send(update({ transcription: { prompt: 'a' } }))
    tell({ ...refusal, code: 'invalid_message' })
    expect(tell(ACK)).toMatchObject([
      {
        type: 'session.updated',
        session: {
          audio: { input: { turn_detection: { type: 'server_vad' }, transcription: { prompt: 'a' } } },
        },
      },
    ])
    expect(tell(ACK)).toEqual([])
  })

  it('without effect on the recogniser is told with what was confirmed before it, and without what comes after it', () => {
    const { send, tell } = start()
    tell(ACK)
    send(update({ turn_detection: null }))
    const requests = send(update(WIRE))
    send(update({ format: { type: 'audio/pcmu' } }))
    tell(ACK)
    expect(replyOf(requests).session.audio.input).toMatchObject({
      format: { type: 'audio/pcm', rate: 16_000 },
      turn_detection: null,
    })
  })

  it('that repeats what holds is answered at once, even in mid-speech', () => {
    const { send, append, tell } = start()
    const whole = {
      ...WIRE,
      transcription: { language: 'ki', prompt: 'a', keywords: ['b'] },
      turn_detection: { type: 'server_vad', silence_duration_ms: 700 },
    }
    expect(send(update(whole))).toMatchObject([{ type: 'config', phrases: ['a', 'b'] }])
    // It is not known yet whether the first one holds.
    expect(send(update(whole))).toMatchObject([{ type: 'config', phrases: ['a', 'b'] }])
    for (let count = 0; count < 3; count += 1) tell(ACK)
    append(320)
    expect(send(update(whole)).map(({ type }) => type)).toEqual(['reply'])
    const other = { ...whole, turn_detection: { type: 'server_vad' } }
    expect(send(update(other))).toEqual([{ type: 'config', endpointing: { silence_ms: 500 } }])
  })

  it('that repeats the format does not interrupt its filter', () => {
    const { send, append } = start()
    append(4_800)
    const format = { type: 'audio/pcm', rate: 24_000 }
    expect(send(update({ format })).map(({ type }) => type)).toEqual(['reply'])
  })

  it('may be what the service itself told', () => {
    const { dialect, send } = start()
    const { session } = JSON.parse(dialect.greeting[0]!)
    expect(replyOf(send({ type: 'session.update', session })).session).toEqual(session)
  })

  it('of the format hands on what the filter of the last one has kept back', () => {
    const { send, append } = start()
    append(4_800)
    const [tail, reply] = send(update(WIRE))
    expect(tail).toMatchObject({ type: 'audio' })
    expect(reply).toMatchObject({ type: 'reply' })
    expect(send(update(WIRE)).map(({ type }) => type)).toEqual(['reply'])
    const bytes = Buffer.alloc(320)
    expect(append(320)).toEqual([{ type: 'audio', bytes }])
    expect(send(update({})).map(({ type }) => type)).toEqual(['reply'])
  })
})

describe('the model', () => {
  it('is named by an update, once, before audio', async () => {
    const { send, append, choice } = start(null)
    const early = {
      code: 'invalid_message',
      message: 'Name a model with session.update before sending audio.',
    }
    expect(() => append(320)).toThrow(expect.objectContaining(early))
    send(update({ transcription: { model: 'whisper-1', language: 'luo' } }))
    await expect(choice.chosen).resolves.toBe('svc-asr-dholuo-v1')
    expect(choice.model).toBe('svc-asr-dholuo-v1')
    expect(() => send(update({ transcription: { model: MODEL, language: 'ki' } }))).toThrow(
      'The session has the model svc-asr-dholuo-v1. Open another connection for another model.',
    )
    // A name of another service changes nothing once there is a model.
    expect(choice.choose('whisper-1', undefined)).toBe('svc-asr-dholuo-v1')
    expect(choice.choose(undefined, undefined)).toBe('svc-asr-dholuo-v1')
    const another = expect.objectContaining({ code: 'invalid_message' })
    expect(() => choice.choose(MODEL, undefined)).toThrow(another)
    expect(() => choice.choose('whisper-1', 'ki')).toThrow(another)
  })

  it('must be one of ours', () => {
    const { send } = start(null)
    expect(() => send(update({ transcription: { model: 'whisper-1' } }))).toThrow(
      expect.objectContaining({
        code: 'invalid_message',
        message: expect.stringMatching(/^Name a model \(/),
      }),
    )
  })

  it('is awaited for ten seconds', async () => {
    vi.useFakeTimers()
    const { choice } = start(null)
    vi.advanceTimersByTime(9_999)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1)
    const message = 'No session update named a model within 10 seconds.'
    await expect(choice.chosen).rejects.toMatchObject({ code: 'session_timeout', message })
  })

  it('is awaited no longer when it is named or the client leaves', async () => {
    vi.useFakeTimers()
    const named = start(null).choice
    named.choose(MODEL, undefined)
    const left = start(null).choice
    left.giveUp()
    expect(vi.getTimerCount()).toBe(0)
    await expect(left.chosen).rejects.toMatchObject({ code: 'session_timeout' })
    await expect(start().choice.chosen).resolves.toBe(MODEL)
  })
})

describe('the buffer', () => {
  const TOO_SHORT = 'The buffer holds less than 100 ms of audio; there is nothing to commit.'

  it('is committed from a tenth of a second on', () => {
    const { send, append } = start()
    send(update(WIRE))
    append(3_198)
    const refused = send({ type: 'input_audio_buffer.commit', event_id: 'mine' })
    expect(replyOf(refused).error).toEqual({
      type: 'invalid_request_error',
      code: 'input_audio_buffer_commit_empty',
      message: TOO_SHORT,
      param: null,
      event_id: 'mine',
    })
    append(2)
    expect(send({ type: 'input_audio_buffer.commit' })).toEqual([{ type: 'flush' }])
    expect(replyOf(send({ type: 'input_audio_buffer.commit' })).error.message).toBe(TOO_SHORT)
  })

  it('is committed with what the filter has kept back', () => {
    const { send, append } = start()
    append(9_600)
    const requests = send({ type: 'input_audio_buffer.commit' })
    expect(requests.map(({ type }) => type)).toEqual(['audio', 'flush'])
  })

  it('is empty when it was cleared', () => {
    const { send, append } = start()
    append(9_600)
    expect(send({ type: 'input_audio_buffer.clear' })).toEqual([{ type: 'reset' }])
    expect(send({ type: 'input_audio_buffer.commit' }).map(({ type }) => type)).toEqual(['reply'])
  })

  it('is empty when silence has ended the turn, and fills again', () => {
    const { send, append, tell } = start()
    send(update(WIRE))
    append(48_000)
    tell(endOfTurn('a b', 1_500))
    const refused = replyOf(send({ type: 'input_audio_buffer.commit', event_id: 'mine' }))
    expect(refused.error).toMatchObject({ code: 'input_audio_buffer_commit_empty', event_id: 'mine' })
    append(3_200)
    expect(send({ type: 'input_audio_buffer.commit' })).toEqual([{ type: 'flush' }])
  })

  it('keeps what came after the turn, even where the turn is told late', () => {
    const { send, append, tell } = start()
    send(update(WIRE))
    append(48_000 + 3_200)
    tell(endOfTurn('a b', 1_500))
    expect(send({ type: 'input_audio_buffer.commit' })).toEqual([{ type: 'flush' }])
    tell(final('c', 1_600))
    expect(send({ type: 'input_audio_buffer.commit' }).map(({ type }) => type)).toEqual(['reply'])
  })

  it('is empty, too, when silence ends the turn while the commit is on its way: there is no empty item', () => {
    const { send, append, tell } = start()
    send(update(WIRE))
    append(48_000)
    expect(send({ type: 'input_audio_buffer.commit', event_id: 'mine' })).toEqual([{ type: 'flush' }])
    send({ type: 'input_audio_buffer.append', audio: '', event_id: 'later' })
    tell(endOfTurn('a b', 1_450))
    expect(tell(final('', 1_500))).toMatchObject([
      { type: 'error', error: { code: 'input_audio_buffer_commit_empty', event_id: 'mine' } },
    ])
  })

  it('that has a word or a tenth of a second in it is an item, whatever was before it', () => {
    const { send, append, tell } = start()
    send(update(WIRE))
    append(48_000)
    send({ type: 'input_audio_buffer.commit' })
    append(48_000)
    send({ type: 'input_audio_buffer.commit' })
    tell(endOfTurn('a b', 1_450))
    const types = (told: readonly { type: string }[]) => told.map(({ type }) => type)
    expect(types(tell(final('c', 1_500)))).toContain('input_audio_buffer.committed')
    expect(types(tell(final('', 3_000)))).toContain('input_audio_buffer.committed')
  })

  it('that has exactly a tenth of a second in it is an item', () => {
    const { send, append, tell } = start()
    send(update(WIRE))
    append(48_000)
    send({ type: 'input_audio_buffer.commit' })
    tell(endOfTurn('a b', 1_400))
    expect(tell(final('', 1_500))).toMatchObject([{ type: 'input_audio_buffer.committed' }, {}])
  })

  it('that nobody committed is an item, too, when it ends', () => {
    const { tell } = start()
    expect(tell(final('', 50))).toMatchObject([{ type: 'input_audio_buffer.committed' }, {}])
  })

  it('takes up to 20 seconds at a time, and nothing from an empty append', () => {
    const { send, append } = start()
    send(update(WIRE))
    expect(append(0)).toEqual([])
    expect(append(640_000)).toHaveLength(1)
    const message = 'Append at most 20 seconds at a time.'
    expect(() => append(640_001)).toThrow(expect.objectContaining({ code: 'invalid_message', message }))
  })
})

describe('events', () => {
  it('of an utterance name its item, and the one before it', () => {
    const { tell } = start()
    expect(tell({ type: 'speech_started', audio_ms: 100 })).toMatchObject([
      { type: 'input_audio_buffer.speech_started', item_id: 'item_2', audio_start_ms: 100 },
    ])
    expect(tell({ type: 'speech_ended', audio_ms: 900 })).toMatchObject([
      { type: 'input_audio_buffer.speech_stopped', item_id: 'item_2', audio_end_ms: 900 },
    ])
    const delta = { type: 'delta', text: 'a b', append: ' b', utterance: 0, audio_ms: 1, words: [] } as const
    expect(tell(delta)).toMatchObject([
      {
        type: 'conversation.item.input_audio_transcription.delta',
        item_id: 'item_2',
        content_index: 0,
        delta: ' b',
      },
    ])
    expect(tell(final('a b', 1_500))).toMatchObject([
      { type: 'input_audio_buffer.committed', item_id: 'item_2', previous_item_id: null },
      {
        type: 'conversation.item.input_audio_transcription.completed',
        item_id: 'item_2',
        content_index: 0,
        transcript: 'a b',
        usage: { type: 'duration', seconds: 1.5 },
      },
    ])
    const [committed, completed] = tell(final('c', 2_000))
    expect(committed.previous_item_id).toBe('item_2')
    expect(committed.item_id).toMatch(/^item_\d+$/)
    expect(committed.item_id).not.toBe('item_2')
    expect(completed.usage.seconds).toBe(0.5)
  })

  it('of a cleared buffer begin another item', () => {
    const { tell } = start()
    expect(tell({ type: 'reset_ack', utterance: 1 })).toMatchObject([{ type: 'input_audio_buffer.cleared' }])
    expect(tell({ type: 'speech_started', audio_ms: 0 })[0].item_id).not.toBe('item_2')
  })

  it.each([
    ['engine_unavailable', 'server_error', 'Try again.'],
    ['internal_error', 'server_error', 'Try again.'],
    ['server_restarting', 'server_error', 'Try again.'],
    ['idle_timeout', 'invalid_request_error', 'Try again.'],
    ['insufficient_credits', 'insufficient_credits', 'Try again.'],
    ['message_too_large', 'invalid_request_error', 'An event can contain at most 2561024 bytes.'],
  ] as const)('of the error %s', (code, type, message) => {
    const { send, tell } = start()
    send({ type: 'input_audio_buffer.clear', event_id: 'mine' })
    const error = { type: 'error', message: 'Try again.', fatal: true, session_id: null, code } as const
    const [told] = tell(error as Parameters<typeof tell>[0])
    expect(told).toMatchObject({ type: 'error', error: { code, message, param: null, event_id: 'mine' } })
    expect(told.error.type).toBe(type)
  })

  it('that OpenAI does not have are not told', () => {
    const { tell } = start()
    expect(tell({ type: 'status', message: 'waiting' })).toEqual([])
    const format = { sample_rate_hz: 16_000, max_audio_seconds: 60, max_frame_bytes: 65_536 }
    const ready = {
      type: 'ready',
      chunk_samples: 17_920,
      session_id: 's',
      language: 'ki',
      ...format,
    } as const
    expect(tell({ ...ready, model: MODEL })).toEqual([])
    const ack = { language: 'ki', context: [56, 13], phrases: 0, chunk_samples: 17_920 } as const
    expect(tell({ type: 'config_ack', ...ack })).toEqual([])
    expect(tell({ type: 'finished', session_id: 's', audio_ms: 0, billable_ms: 0 })).toEqual([])
  })
})

it('a refusal over HTTP has the type and code of the error', () => {
  const error = new ServiceError('model_not_found', { message: 'Name a model.' })
  expect(openAiErrorBody(error, 'req-1')).toEqual({
    error: { message: 'Name a model.', type: 'model_not_found', param: null, code: 'model_not_found' },
    request_id: 'req-1',
  })
})
