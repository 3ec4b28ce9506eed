// Other audio formats on the stream: converted on arrival, so that limits and bills go by its duration.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import type { StreamClient } from '../../support/streams/stream-client.ts'

/** Silence as mu-law and A-law write it. */
const MULAW_SILENCE = 0xff
const ALAW_SILENCE = 0xd5

let service: ScriptedService
let account: Customer
beforeAll(async () => {
  service = await startScriptedService({ recogniser: new ScriptedRecogniser() })
})
afterAll(() => service.stop())

async function connect(audio: object, seconds = 60): Promise<StreamClient> {
  account = await service.openAccount(600)
  const client = await service.connect(account, seconds)
  client.text(JSON.stringify({ type: 'config', audio }))
  return client
}

function sendInFrames(client: StreamClient, bytes: Buffer, perFrame: number): void {
  for (let at = 0; at < bytes.length; at += perFrame) client.audio(bytes.subarray(at, at + perFrame))
}

describe('a stream in another format', () => {
  it.each([
    ['mulaw', 8_000, 1, MULAW_SILENCE],
    ['alaw', 8_000, 1, ALAW_SILENCE],
    ['pcm_s16le', 8_000, 2, 0],
    ['pcm_s16le', 24_000, 2, 0],
    ['pcm_s16le', 44_100, 2, 0],
    ['pcm_s16le', 48_000, 2, 0],
  ] as const)('%s at %i Hz is billed by its duration', async (encoding, sample_rate_hz, bytes, silence) => {
    const client = await connect({ encoding, sample_rate_hz })
    expect(await client.next('config_ack')).toMatchObject({ audio: { encoding, sample_rate_hz } })
    sendInFrames(client, Buffer.alloc(2.5 * sample_rate_hz * bytes, silence), 1_601)
    client.flush()
    expect(await client.next('final')).toMatchObject({ audio_ms: 2_500, billable_ms: 3_000 })
    await client.close()
    expect(await service.ended(account)).toMatchObject({ audio_ms: 2_500, billable_ms: 3_000 })
  })

  it('is cut at the limit of its reservation in time', async () => {
    const client = await connect({ encoding: 'mulaw', sample_rate_hz: 8_000 }, 2)
    await client.next('config_ack')
    client.audio(Buffer.alloc(24_000, MULAW_SILENCE))
    expect(await client.next('final')).toMatchObject({ audio_ms: 2_000, remaining_ms: 0 })
    expect(await client.closed).toMatchObject({ code: 4402 })
    expect(await service.ended(account)).toMatchObject({ billable_ms: 2_000 })
  })

  it('goes back to the format of the wire with the defaults', async () => {
    const client = await connect({ encoding: 'mulaw', sample_rate_hz: 8_000 })
    await client.next('config_ack')
    client.audio(Buffer.alloc(8_000, MULAW_SILENCE))
    client.flush()
    expect(await client.next('final')).toMatchObject({ audio_ms: 1_000 })
    client.config()
    expect(await client.next('config_ack')).not.toHaveProperty('audio')
    client.silence(16_000)
    client.flush()
    expect(await client.next('final')).toMatchObject({ audio_ms: 2_000 })
    await client.close()
  })

  it('cannot change within an utterance', async () => {
    const client = await connect({ encoding: 'mulaw', sample_rate_hz: 8_000 })
    await client.next('config_ack')
    client.audio(Buffer.alloc(800, MULAW_SILENCE))
    client.text(JSON.stringify({ type: 'config', audio: { encoding: 'alaw', sample_rate_hz: 8_000 } }))
    expect(await client.next('error')).toMatchObject({ code: 'config_not_allowed', fatal: false })
    await client.close()
  })

  it.each([
    {},
    { encoding: 'mp3', sample_rate_hz: 8_000 },
    { encoding: 'mulaw' },
    { encoding: 'mulaw', sample_rate_hz: 7_999 },
    { encoding: 'pcm_s16le', sample_rate_hz: '16000' },
    null,
    'mulaw',
  ])('is refused: %j', async audio => {
    const client = await connect(audio as object)
    expect(await client.next('error')).toMatchObject({ code: 'invalid_message', fatal: false })
    await client.close()
  })
})
