// One stream floods, with every kind of message and with mixtures: its neighbour is answered meanwhile, the engine is asked for no more
// than it must be, and memory stays bounded. How long a neighbour waits is measured by `npm run bench -- floods`.

import { afterEach, describe, expect, it } from 'vitest'
import { heldBytes } from '../../support/memory.ts'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import { openScriptedService } from '../../support/service/scripted-service.ts'
import { BINARY, PING, RawClient, type RawFrame, TEXT } from '../../support/streams/raw-client.ts'
import type { StreamClient } from '../../support/streams/stream-client.ts'

const FLOOD_FRAMES = 40_000
const FRAMES_PER_WRITE = 2_000
const NEIGHBOUR_PATIENCE_MS = 3_000

const recogniser = new ScriptedRecogniser()
const service = await openScriptedService({ recogniser })
afterEach(() => recogniser.setStalled(false))

const text = (message: object): RawFrame => ({ opcode: TEXT, payload: JSON.stringify(message) })
const audio = (samples: number): RawFrame => ({ opcode: BINARY, payload: Buffer.alloc(2 * samples) })
const phrases = (word: string) => text({ type: 'config', context: [`${word} wega`] })
const FLUSH = text({ type: 'flush' })
const RESET = text({ type: 'reset' })

const FLOODS: readonly (readonly [string, readonly RawFrame[]])[] = [
  ['bare configs', [text({ type: 'config' })]],
  ['configs with phrases', [phrases('a'), phrases('b')]],
  [
    'configs with look-aheads',
    [text({ type: 'config', context: [56, 0] }), text({ type: 'config', context: [56, 13] })],
  ],
  ['refused configs', [text({ type: 'config', language: 'sw' })]],
  ['flushes', [FLUSH]],
  ['resets', [RESET]],
  ['samples', [audio(1)]],
  ['empty frames', [audio(0)]],
  ['samples and flushes', [audio(1), FLUSH]],
  ['samples and resets', [audio(1), RESET]],
  ['pings', [{ opcode: PING, payload: 'x' }]],
  ['everything', [phrases('a'), audio(1), FLUSH, text({ type: 'config' }), phrases('b'), audio(1), RESET]],
]

/** Sends without waiting for answers, for as long as the flood lasts. */
async function flood(client: RawClient, round: readonly RawFrame[]): Promise<void> {
  const frames = Array.from({ length: FRAMES_PER_WRITE }, (_, at) => round[at % round.length]!)
  for (let sent = 0; sent < FLOOD_FRAMES && !client.socket.destroyed; sent += FRAMES_PER_WRITE) {
    client.send(...frames)
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** How long each of its flushes takes, while the flood lasts. */
async function converse(neighbour: StreamClient, rounds: number): Promise<number[]> {
  const waits: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    neighbour.silence(1600)
    const askedAt = performance.now()
    neighbour.flush()
    await neighbour.next('final')
    waits.push(performance.now() - askedAt)
  }
  return waits
}

describe('a flood of', () => {
  it.each(FLOODS)('%s leaves its neighbour answered and memory bounded', async (_name, round) => {
    const attacker = await service.openAccount()
    const client = await RawClient.ready(service.port, await service.createSession(attacker, 60), service.ca)
    const neighbour = await service.connect(await service.openAccount(), 60)
    const before = heldBytes()
    const flooding = flood(client, round)
    const waits = await converse(neighbour, 10)
    await flooding
    expect(Math.max(...waits)).toBeLessThan(NEIGHBOUR_PATIENCE_MS)
    // What the attacker could not send yet and the answers that it has read are held in this process too.
    const own = client.socket.writableLength + client.receivedBytes
    expect((heldBytes() - before - own) / 1024 / 1024).toBeLessThan(30)
    client.socket.destroy()
    await neighbour.close()
    await service.ended(attacker)
  })
})

describe('a config', () => {
  it('is acknowledged when the engine has taken it, and a limited number wait for that', async () => {
    const client = await service.connect(await service.openAccount(), 60)
    recogniser.setStalled(true)
    for (let count = 0; count < 500; count += 1) client.config({ context: [`phrase ${count}`] })
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(client.all('config_ack')).toEqual([])
    const [stream] = recogniser.streams
    expect(stream!.waiting).toBeLessThanOrEqual(32)
    recogniser.setStalled(false)
    for (let count = 0; count < 500; count += 1)
      expect(await client.next('config_ack')).toMatchObject({ phrases: 1 })
    await client.close()
  })

  it('that changes nothing is acknowledged without the engine, in its turn', async () => {
    const client = await service.connect(await service.openAccount(), 60)
    client.config({ context: ['wega'] })
    await client.next('config_ack')
    recogniser.setStalled(true)
    client.config({ context: ['wega'] })
    expect(await client.next('config_ack')).toMatchObject({ phrases: 1 })
    client.config()
    client.config()
    await new Promise(resolve => setTimeout(resolve, 100))
    expect(client.all('config_ack')).toHaveLength(2)
    const [stream] = recogniser.streams
    expect(stream!.waiting).toBe(1)
    recogniser.setStalled(false)
    expect(await client.next('config_ack')).toMatchObject({ phrases: 0 })
    expect(await client.next('config_ack')).toMatchObject({ phrases: 0 })
    await client.close()
  })

  it('that is refused waits behind a slow flush, in its turn and in bounded memory', async () => {
    const attacker = await service.openAccount()
    const client = await RawClient.ready(service.port, await service.createSession(attacker, 60), service.ca)
    recogniser.setStalled(true)
    const before = heldBytes()
    client.send(audio(1600), FLUSH)
    await flood(client, [text({ type: 'config', language: 'sw' })])
    await new Promise(resolve => setTimeout(resolve, 300))
    const told = () =>
      client.events.map(({ type }) => type).filter(type => type === 'error' || type === 'final')
    expect(told()).toEqual([])
    // What the attacker could not send yet is held in this process too.
    expect((heldBytes() - before - client.socket.writableLength) / 1024 / 1024).toBeLessThan(15)
    recogniser.setStalled(false)
    await client.until(() => told().length > 100)
    expect(told().lastIndexOf('final')).toBe(0)
    client.socket.destroy()
    await service.ended(attacker)
  })
})
