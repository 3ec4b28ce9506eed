// Fields of a file's form that have no effect are named in the answer; fields that would change what it means are refused, before anything is
// charged.

import OpenAI, { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { bearer, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import { makeSilentWav, serveTestTranscriptions } from '../../support/service/transcriptions.ts'

const limits = { fileMaxMs: 60_000, fileMaxBytes: 1_000_000 }
const plane = await openControlPlane(
  {},
  { extend: (app, parts) => serveTestTranscriptions(app, parts, limits) },
)

async function ask(fields: object) {
  const customer = await plane.customer()
  const client = new OpenAI({
    apiKey: customer.key,
    baseURL: `http://127.0.0.1:${plane.port}/v1`,
    maxRetries: 0,
  })
  const file = await toFile(makeSilentWav(16_000), 'a.wav')
  const call = client.audio.transcriptions.create({ model: KIKUYU, file, ...fields })
  return { customer, call }
}

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

  it('with effect need no header', async () => {
    const { call } = await ask({ response_format: 'verbose_json', timestamp_granularities: ['word'] })
    expect((await call.asResponse()).headers.has('x-ignored-parameters')).toBe(false)
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
  ])('%j are refused and cost nothing', async (fields, message) => {
    const { customer, call } = await ask(fields)
    await expect(call).rejects.toMatchObject({ status: 400, error: { message } })
    const { json } = await plane.call('/v1/usage', { headers: bearer(customer) })
    expect(json).toMatchObject({ consumed_ms: 0, reserved_ms: 0 })
  })
})
