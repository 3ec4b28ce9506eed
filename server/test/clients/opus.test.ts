// Opus through the whole service and its bundled models: nearly the text of the same speech as PCM, in both languages, on both wires.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOpusPackets } from '../support/recogniser/opus.ts'
import {
  countDifferences,
  countWordErrors,
  MODELS_DIR,
  readSamples,
  type Sample,
} from '../support/recogniser/samples.ts'
import { createCustomer } from '../support/service/customer.ts'
import { FrontDoor } from '../support/service/front-door.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { connectForeign, hearAll } from '../support/streams/foreign-clients.ts'

const SPOKEN = {
  ki: { packets: 'kikuyu-1', model: 'svc-asr-kikuyu-v1' },
  luo: { packets: 'dholuo-1', model: 'svc-asr-dholuo-v1' },
} as const
/** Lossy coding may change a word; the samples have 8 to 12. */
const WORDS_THAT_MAY_DIFFER = 1
const FRAME_BYTES = 6_400

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { SAUTI_MODELS_DIR: MODELS_DIR } })
})
afterAll(() => service.stop())

function sampleOf(code: keyof typeof SPOKEN): Sample {
  return readSamples(code).find(({ path }) => path.includes(SPOKEN[code].packets))!
}

async function hear(
  model: Sample['model'],
  messages: readonly Uint8Array[],
  audio?: object,
): Promise<string> {
  const customer = await createCustomer(service.database, new Date(), { creditMs: 60_000 })
  const client = await new FrontDoor(service).connect(customer, 30, model as never)
  if (audio) client.text(JSON.stringify({ type: 'config', audio }))
  for (const message of messages) client.audio(message)
  client.flush()
  const { text } = await client.next('final')
  await client.close()
  return text
}

describe.each(['ki', 'luo'] as const)('Opus in the language %s', code => {
  it('gives the text of PCM', async () => {
    const { model, pcm, text } = sampleOf(code)
    const bytes = Buffer.from(pcm.buffer)
    const frames = Array.from({ length: Math.ceil(bytes.length / FRAME_BYTES) }, (_, n) =>
      bytes.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES),
    )
    const fromPcm = await hear(model, frames)
    const opus = { encoding: 'opus', sample_rate_hz: 16_000 }
    const fromOpus = await hear(model, readOpusPackets(SPOKEN[code].packets), opus)
    expect(countDifferences(fromOpus, fromPcm), fromOpus).toBeLessThanOrEqual(WORDS_THAT_MAY_DIFFER)
    expect(countWordErrors(fromOpus, text), fromOpus).toBeLessThanOrEqual(2)
  })

  it("is heard on Deepgram's wire", async () => {
    const { key } = await createCustomer(service.database, new Date(), { creditMs: 120_000 })
    const socket = connectForeign(service, {
      path: `/v1/listen?language=${code}&encoding=opus&sample_rate=48000&endpointing=false`,
      headers: { authorization: `Token ${key}` },
    })
    const heard = hearAll(socket)
    socket.on('open', () => {
      for (const packet of readOpusPackets(SPOKEN[code].packets)) socket.send(packet)
      socket.send('{"type":"CloseStream"}')
    })
    const { told } = await heard
    const transcript = told.filter(one => one.is_final).map(one => one.channel.alternatives[0].transcript)
    expect(countWordErrors(transcript.join(' '), sampleOf(code).text)).toBeLessThanOrEqual(2)
  })
})
