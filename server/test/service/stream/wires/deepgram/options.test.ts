// Deepgram's live protocol, message by message, on a recogniser that writes down what it hears: one letter for each 100 ms.

import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../../../support/service/scripted-service.ts'
import { connectForeign, hearAll, refusalOf } from '../../../../support/streams/foreign-clients.ts'
import { call, open, RAW, SECOND, say } from './deepgram.ts'

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })

describe('formats', () => {
  it.each([
    ['encoding=linear16&sample_rate=48000', 96_000],
    ['encoding=linear16&sample_rate=16000&channels=2', 64_000],
    ['encoding=linear16&sample_rate=44100', 88_200],
    ['encoding=mulaw', 8_000],
    ['encoding=alaw&sample_rate=8000', 8_000],
  ])('%s is billed by its duration', async (format, bytesPerSecond) => {
    const account = await service.openAccount()
    const socket = await open(service, account, `model=svc-asr-kikuyu-v1&${format}`)
    const heard = hearAll(socket)
    const audio = Buffer.alloc(3 * bytesPerSecond)
    // Cut anywhere, also within a sample.
    for (let at = 0; at < audio.length; at += 1_001) socket.send(audio.subarray(at, at + 1_001))
    say(socket, 'CloseStream')
    expect((await heard).told.at(-1)).toMatchObject({ type: 'Metadata', duration: 3 })
    expect(await service.ended(account)).toMatchObject({ audio_ms: 3000, billable_ms: 3000 })
  })
})

describe('keys and options', () => {
  it('takes the key as a subprotocol and selects only its scheme', async () => {
    const { key } = await service.openAccount()
    const socket = connectForeign(service, { path: `/v1/listen?${RAW}`, protocols: ['token', key] })
    await once(socket, 'open')
    expect(socket.protocol).toBe('token')
    socket.close()
    await once(socket, 'close')
  })

  it('lets the language choose the model and names what it ignores', async () => {
    const account = await service.openAccount()
    const query =
      'model=nova-3&language=luo-KE&encoding=linear16&sample_rate=16000&smart_format=true&whatever=1'
    const socket = await open(service, account, query)
    const heard = hearAll(socket)
    say(socket, 'CloseStream')
    const { told } = await heard
    expect(told.at(-1)!.models).toEqual(['svc-asr-dholuo-v1'])
    expect(
      told
        .at(-1)!
        .warnings.map((one: { parameter: string }) => one.parameter)
        .sort(),
    ).toEqual(['model', 'smart_format', 'whatever'])
  })

  it.each([
    ['encoding=linear16&sample_rate=16000', 404, 'Name a model'],
    ['model=svc-asr-kikuyu-v1&language=luo&encoding=mulaw', 400, 'does not hear'],
    ['language=sw&encoding=mulaw', 400, 'is not known here'],
    ['language=ki', 400, 'encoding is required'],
    ['language=ki&encoding=flac', 400, 'encoding must be'],
    ['language=ki&encoding=linear16', 400, 'sample_rate must be'],
    ['language=ki&encoding=linear16&sample_rate=47999', 400, 'sample_rate must be'],
    ['language=ki&encoding=mulaw&channels=9', 400, 'channels must be'],
    ['language=ki&encoding=mulaw&endpointing=soon', 400, 'endpointing must be'],
    ['language=ki&encoding=mulaw&endpointing=false&utterance_end_ms=1000', 400, 'endpointing must not be'],
    ['language=ki&encoding=mulaw&utterance_end_ms=10', 400, 'utterance_end_ms must be'],
    ['language=ki&encoding=mulaw&diarize=true', 400, 'diarize is not supported'],
    ['language=ki&encoding=mulaw&redact=pci', 400, 'redact is not supported'],
    ['model=svc-asr-kikuyu-v1&model=svc-asr-dholuo-v1&encoding=mulaw', 400, 'model has two different values'],
    ['language=ki&encoding=mulaw&encoding=linear16', 400, 'encoding has two different values'],
    ['language=ki&encoding=mulaw&sample_rate=8000&sample_rate=16000', 400, 'sample_rate has two different'],
    ['language=ki&encoding=mulaw&endpointing=300&endpointing=false', 400, 'endpointing has two different'],
    ['language=ki&encoding=mulaw&interim_results=maybe', 400, 'interim_results must be'],
    [`language=ki&encoding=mulaw&keyterm=${'a'.repeat(2001)}`, 400, 'at most 100 phrases'],
  ])('refuses %s', async (query, status, words) => {
    const refusal = await refusalOf(service, call(await service.openAccount(), query))
    expect(refusal.status).toBe(status)
    expect(refusal.body).toEqual({
      err_code: expect.any(String),
      err_msg: expect.stringContaining(words),
      request_id: refusal.headers['x-request-id'],
    })
  })

  it('takes an option that is given twice with the same value', async () => {
    const socket = await open(service, await service.openAccount(), `${RAW}&encoding=linear16`)
    const heard = hearAll(socket)
    say(socket, 'CloseStream')
    expect((await heard).told.at(-1)).toMatchObject({ type: 'Metadata' })
  })

  it('gives phrases to the recogniser', async () => {
    const socket = await open(
      service,
      await service.openAccount(),
      `${RAW}&keyterm=m%C5%A9g%C5%A9nda&keyterm=Wanjik%C5%A9&keywords=Otieno:2`,
    )
    socket.send(SECOND)
    await expect
      .poll(() => [...recogniser.streams].at(-1)?.settings.phrases)
      .toEqual(['mũgũnda', 'Wanjikũ', 'Otieno'])
    socket.close()
    await once(socket, 'close')
  })
})
