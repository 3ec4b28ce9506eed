// Fields of a file's form that have no effect are named in the answer; fields that would change what it means are refused, before anything is
// charged.

import OpenAI, { toFile } from 'openai'
import { describe, expect, it, vi } from 'vitest'
import { readAnswerOptions, readKeywords } from '#server/http/transcriptions/options.js'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import { bearer, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import { encodeForm } from '../../support/service/forms.ts'
import { makeSilentWav, serveTestTranscriptions } from '../../support/service/transcriptions.ts'

const limits = { fileMaxMs: 60_000, fileMaxBytes: 1_000_000 }
const recogniser = new ScriptedRecogniser()
const opened = vi.spyOn(recogniser, 'open')
const plane = await openControlPlane(
  {},
  { extend: (app, parts) => serveTestTranscriptions(app, parts, limits, { recogniser }) },
)

/** The fields `before` come before the model and the file. */
async function ask(fields: object, before: object = {}) {
  const customer = await plane.customer()
  const client = new OpenAI({
    apiKey: customer.key,
    baseURL: `http://127.0.0.1:${plane.port}/v1`,
    maxRetries: 0,
  })
  const file = await toFile(makeSilentWav(16_000), 'a.wav')
  const call = client.audio.transcriptions.create({ ...before, model: KIKUYU, file, ...fields })
  return { customer, call }
}

async function post(fields: Parameters<typeof encodeForm>[0]) {
  const { body, contentType } = await encodeForm(fields)
  const customer = await plane.customer()
  const headers = { ...bearer(customer), 'content-type': contentType }
  const answer = await plane.call('/v1/audio/transcriptions', { method: 'POST', headers, body })
  const { json: usage } = await plane.call('/v1/usage', { headers: bearer(customer) })
  return { ...answer, billedMs: usage.consumed_ms }
}

describe('a form', () => {
  const wav = makeSilentWav(16_000)

  it('can name as many words to expect as there may be, before the model', async () => {
    const keywords = Array.from({ length: 100 }, (_, index) => `neno${index}`)
    const answer = await post({ 'keywords[]': keywords, model: KIKUYU, response_format: 'text', file: wav })
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } })
    expect(opened.mock.calls.at(-1)![1].phrases).toEqual(keywords)
  })

  it.each([
    ['two files', { model: KIKUYU, file: [wav, wav] }, 'Send one file per request.'],
    ['two models', { model: [KIKUYU, KIKUYU], file: wav }, 'model can be sent only once.'],
    [
      'two formats',
      { model: KIKUYU, file: wav, response_format: ['json', 'text'] },
      'response_format can be sent only once.',
    ],
    ['an empty file', { model: KIKUYU, file: Buffer.alloc(0) }, 'The file is empty.'],
    [
      'too many fields',
      { model: KIKUYU, include: Array(300).fill('logprobs'), file: wav },
      'A form can have at most 256 fields.',
    ],
  ])('with %s is refused and costs nothing', async (_, fields, message) => {
    expect(await post(fields)).toMatchObject({ status: 400, json: { error: { message } }, billedMs: 0 })
  })
})

describe("OpenAI's fields", () => {
  it('without effect are named in a header, as its client writes them', async () => {
    const { call } = await ask({
      temperature: 0.2,
      prompt: 'a meeting',
      include: ['logprobs'],
      chunking_strategy: { type: 'server_vad', silence_duration_ms: 300, threshold: 0.5 },
      stream: false,
      language: 'ki',
    })
    const { headers } = await call.asResponse()
    const ignored = headers.get('x-ignored-parameters')!.split(', ').sort()
    expect(ignored).toEqual(['chunking_strategy', 'include', 'prompt', 'temperature'])
  })

  it.each(['ki', 'Kikuyu', 'ki-KE'])('name the language of the model as %s', async language => {
    const { call } = await ask({ language })
    expect((await call.asResponse()).status).toBe(200)
  })

  it('with effect need no header', async () => {
    const { call } = await ask({ response_format: 'verbose_json', timestamp_granularities: ['word'] })
    expect((await call.asResponse()).headers.has('x-ignored-parameters')).toBe(false)
  })

  it('with words to expect reach the recogniser, whether they come before the file or before the model', async () => {
    const keywords = ['Wanjikũ', 'Nyeri']
    const first = await ask({ languages: ['en', 'ki'] }, { keywords })
    expect((await first.call.asResponse()).headers.has('x-ignored-parameters')).toBe(false)
    const file = await toFile(makeSilentWav(16_000), 'a.wav')
    const last = await ask({}, { file, keywords: ['Kĩambu'] })
    await last.call
    expect(opened.mock.calls.map(([, { phrases }]) => phrases)).toEqual(
      expect.arrayContaining([keywords, ['Kĩambu']]),
    )
  })

  it('with too many words to expect are refused', () => {
    const fields = new Map([['keywords', Array.from({ length: 101 }, () => 'Nyeri')]])
    expect(() => readKeywords(fields)).toThrow('keywords can contain at most 100 phrases')
  })

  it('with words to expect are named as ignored where the file was being heard already', () => {
    const fields = new Map([['keywords[]', ['Nyeri']]])
    expect(readAnswerOptions(fields, KIKUYU, []).ignored).toEqual(['keywords'])
    expect(readAnswerOptions(fields, KIKUYU, ['Nyeri']).ignored).toEqual([])
  })

  it.each([
    [{ stream: true }, 'stream is not supported. It must be false: use the WebSocket for live text.'],
    [
      { known_speaker_names: ['Achieng'] },
      'known_speaker_names is not supported. Speakers are not separated.',
    ],
    [
      { response_format: 'diarized_json' },
      'response_format must be one of json, text, srt, verbose_json, vtt.',
    ],
    [{ poem: 'yes' }, 'poem is not a parameter.'],
    [{ language: ['ki'] }, 'language[] is not a parameter.'],
    [
      { languages: ['en', 'luo'] },
      'languages must contain ki, the language of svc-asr-kikuyu-v1, or be left out.',
    ],
  ])('%j are refused and cost nothing', async (fields, message) => {
    const { customer, call } = await ask(fields)
    await expect(call).rejects.toMatchObject({ status: 400, error: { message } })
    const { json } = await plane.call('/v1/usage', { headers: bearer(customer) })
    expect(json).toMatchObject({ consumed_ms: 0, reserved_ms: 0 })
  })
})

describe('a file', () => {
  it('is heard while live streams take everything that there is', async () => {
    expect((await plane.post(await plane.customer(), { model: KIKUYU })).status).toBe(201)
    recogniser.capacity = 1
    const { call } = await ask({})
    await call
  })
})
