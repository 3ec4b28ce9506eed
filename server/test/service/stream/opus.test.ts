// Opus on the stream, one packet per message: billed by its time, in order with everything else, and damaged packets refused.

import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PACKET_MS, readOpusPackets } from '../../support/recogniser/opus.ts'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import { hearAll } from '../../support/streams/foreign-clients.ts'
import type { StreamClient } from '../../support/streams/stream-client.ts'
import { open, say } from './wires/deepgram/deepgram.ts'

const PACKETS = readOpusPackets('kikuyu-1')
const OPUS = { encoding: 'opus', sample_rate_hz: 48_000 } as const
const NOT_A_PACKET = Uint8Array.of(0xfb, 0x07)

let service: ScriptedService
let account: Customer
beforeAll(async () => {
  service = await startScriptedService({ recogniser: new ScriptedRecogniser() })
})
afterAll(() => service.stop())

async function connect(seconds = 60): Promise<StreamClient> {
  account = await service.openAccount(600)
  const client = await service.connect(account, seconds)
  client.config({ audio: OPUS })
  expect(await client.next('config_ack')).toMatchObject({ audio: OPUS })
  return client
}

function send(client: StreamClient, packets: readonly Uint8Array[]): void {
  for (const packet of packets) client.audio(packet)
}

describe('a stream in Opus', () => {
  it('is billed by its duration', async () => {
    const client = await connect()
    send(client, PACKETS)
    client.flush()
    const ms = PACKETS.length * PACKET_MS
    expect(await client.next('final')).toMatchObject({ audio_ms: ms })
    await client.close()
    const billed = Math.ceil(ms / 1000) * 1000
    expect(await service.ended(account)).toMatchObject({ audio_ms: ms, billable_ms: billed })
  })

  it('is cut at the limit of its reservation in time', async () => {
    const client = await connect(2)
    send(client, PACKETS)
    expect(await client.next('final')).toMatchObject({ audio_ms: 2_000, remaining_ms: 0 })
    expect(await client.closed).toMatchObject({ code: 4402 })
    expect(await service.ended(account)).toMatchObject({ billable_ms: 2_000 })
  })

  it('answers flush, reset and config in their order between packets', async () => {
    const client = await connect()
    send(client, PACKETS.slice(0, 10))
    client.flush()
    send(client, PACKETS.slice(10, 30))
    client.reset()
    send(client, PACKETS.slice(30, 35))
    client.flush()
    client.config({})
    client.silence(1_600)
    client.flush()
    const told = []
    while (told.length < 5) {
      const event = await client.nextEvent()
      if (event.type !== 'delta') told.push(event)
    }
    expect(told).toMatchObject([
      { type: 'final', remaining_ms: 59_800 },
      { type: 'reset_ack' },
      { type: 'final', remaining_ms: 59_300 },
      { type: 'config_ack' },
      { type: 'final', remaining_ms: 59_200 },
    ])
    await client.close()
  })

  it('refuses what is not a packet, bills nothing for it and goes on', async () => {
    const client = await connect()
    send(client, [...PACKETS.slice(0, 5), NOT_A_PACKET, Buffer.from('OggS\0\0'), ...PACKETS.slice(5, 10)])
    client.flush()
    expect(await client.next('error')).toMatchObject({
      code: 'undecodable_audio',
      fatal: false,
      message: expect.stringContaining('not an Opus packet'),
    })
    expect(await client.next('error')).toMatchObject({ message: expect.stringContaining('Ogg') })
    expect(await client.next('final')).toMatchObject({ audio_ms: 200 })
    await client.close()
    expect(await service.ended(account)).toMatchObject({ status: 'completed', audio_ms: 200 })
  })

  it('refuses a packet that only its decoder finds damaged', async () => {
    const client = await connect()
    // Two frames whose first is longer than the packet.
    client.audio(Uint8Array.of(0xfa, 0xfb, 0xff, 0, 0))
    expect(await client.next('error')).toMatchObject({ code: 'undecodable_audio', fatal: false })
    send(client, PACKETS.slice(0, 5))
    client.flush()
    expect(await client.next('final')).toMatchObject({ audio_ms: 100 })
    await client.close()
  })

  it('refuses what is not a packet after the answers to what was sent before it', async () => {
    const client = await connect()
    send(client, PACKETS.slice(0, 10))
    client.flush()
    send(client, [NOT_A_PACKET])
    expect((await client.next('error')).code).toBe('undecodable_audio')
    expect(client.all('final')).toHaveLength(1)
    await client.close()
  })

  it('ends with the fifth invalid one, after the final of the packets before it', async () => {
    const client = await connect()
    send(client, [...PACKETS.slice(0, 10), ...Array(5).fill(NOT_A_PACKET)])
    expect(await client.closed).toMatchObject({ code: 4400, reason: 'too_many_invalid_messages' })
    expect(client.all('final')).toMatchObject([{ audio_ms: 200 }])
    expect(await service.ended(account)).toMatchObject({ status: 'failed', audio_ms: 200 })
  })

  it('ends with the fifth invalid one', async () => {
    const client = await connect()
    send(client, Array(5).fill(NOT_A_PACKET))
    expect(await client.closed).toMatchObject({ code: 4400, reason: 'too_many_invalid_messages' })
    expect(await service.ended(account)).toMatchObject({ status: 'failed', billable_ms: 0 })
  })

  it.each([44_100, 22_050, undefined])('has no rate of %s', async sample_rate_hz => {
    account = await service.openAccount(600)
    const client = await service.connect(account, 60)
    client.text(JSON.stringify({ type: 'config', audio: { encoding: 'opus', sample_rate_hz } }))
    expect(await client.next('error')).toMatchObject({ code: 'invalid_message', fatal: false })
    await client.close()
  })
})

describe("Opus on Deepgram's wire", () => {
  it.each(['encoding=opus', 'encoding=opus&sample_rate=48000&channels=2'])('%s', async query => {
    account = await service.openAccount(600)
    const socket = await open(service, account, `model=svc-asr-kikuyu-v1&endpointing=false&${query}`)
    const heard = hearAll(socket)
    for (const packet of PACKETS.slice(0, 50)) socket.send(packet)
    say(socket, 'Finalize')
    for (const packet of PACKETS.slice(50, 60)) socket.send(packet)
    say(socket, 'CloseStream')
    const { told, code } = await heard
    expect(code).toBe(1000)
    expect(told.find(({ from_finalize }) => from_finalize)).toMatchObject({ duration: 1 })
    expect(told.at(-1)).toMatchObject({ type: 'Metadata', duration: 1.2 })
    expect(await service.ended(account)).toMatchObject({ audio_ms: 1_200, billable_ms: 2_000 })
  })

  it('refuses what is not a packet', async () => {
    account = await service.openAccount(600)
    const socket = await open(service, account, 'model=svc-asr-kikuyu-v1&encoding=opus')
    socket.send(NOT_A_PACKET)
    const [data] = await once(socket, 'message')
    expect(JSON.parse(String(data))).toMatchObject({ type: 'Error', variant: 'undecodable_audio' })
    socket.close()
    await once(socket, 'close')
  })
})
