// Clients that vanish in every state a connection can be in. Nothing of them may stay behind.

import { queryObjects } from 'node:v8'
import type { AsrSession } from '@sauti/protocol/http'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Connection } from '#server/stream/connection/connection.js'
import { Conversation } from '#server/stream/conversation/conversation.js'
import { StreamSocket } from '#server/stream/socket/socket.js'
import { growthOf, heldBytes } from '../../support/memory.ts'
import { ScriptedRecogniser, ScriptedStream } from '../../support/recogniser/scripted-recogniser.ts'
import type { Customer } from '../../support/service/customer.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import { BINARY, encodeFrame, RawClient, TEXT } from '../../support/streams/raw-client.ts'

const recogniser = new ScriptedRecogniser()
let service: ScriptedService
let account: Customer
beforeAll(async () => {
  const env = { SAUTI_SESSION_CREATIONS_PER_MINUTE: '100000', SAUTI_MAX_UNSENT_BYTES: '65536' }
  service = await startScriptedService({ recogniser, env })
  account = await service.openAccount(1_000_000, 1000)
})
afterAll(() => service.stop())

const ROUNDS = 5
const CLIENTS_A_ROUND = 52

function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

const FLUSH = { opcode: TEXT, payload: '{"type":"flush"}' }
const SECOND_OF_AUDIO = { opcode: BINARY, payload: Buffer.alloc(32_000) }

async function ready(): Promise<RawClient> {
  return RawClient.ready(service.port, await service.createSession(account, 60), service.ca)
}

async function offer(session: AsrSession): Promise<RawClient> {
  return RawClient.handshake(service.port, service.ca, session.websocket_protocols.join(', '))
}

/** Each takes a client into a state and leaves it there. */
const STATES: Record<string, () => Promise<RawClient>> = {
  'connected and silent': () => RawClient.open(service.port, service.ca),
  'in the middle of the handshake': async () => {
    const client = await RawClient.open(service.port, service.ca)
    client.socket.write('GET /v1/asr/stream HTTP/1.1\r\nHost: x\r\nUpgr')
    return client
  },
  'refused with HTTP 401': async () => RawClient.handshake(service.port, service.ca, 'svc.realtime.v1'),
  'just after the handshake': async () => offer(await service.createSession(account, 60)),
  'waiting for a slot': async () => {
    const open = recogniser.holdOpening()
    const client = await offer(await service.createSession(account, 60))
    await client.until(() => client.events.length > 0)
    setTimeout(open, 20)
    return client
  },
  'ready and silent': ready,
  'in the middle of a frame': async () => {
    const client = await ready()
    client.socket.write(encodeFrame(SECOND_OF_AUDIO).subarray(0, 5000))
    return client
  },
  'in the middle of a message': async () => {
    const client = await ready()
    client.send({ ...SECOND_OF_AUDIO, fin: false })
    return client
  },
  'in the middle of an utterance': async () => {
    const client = await ready()
    client.send(SECOND_OF_AUDIO)
    await client.until(() => client.events.some(event => event.type === 'delta'))
    return client
  },
  'with a flush owed and audio queued': async () => {
    const client = await ready()
    recogniser.setStalled(true)
    client.send(SECOND_OF_AUDIO, FLUSH, SECOND_OF_AUDIO)
    await wait(10)
    return client
  },
  'while it is no longer read': async () => {
    const client = await ready()
    recogniser.setStalled(true)
    for (let count = 0; count < 15; count++) client.send(SECOND_OF_AUDIO)
    await wait(20)
    return client
  },
  'while it no longer reads': async () => {
    const client = await ready()
    client.socket.pause()
    recogniser.padding = 'x'.repeat(50_000)
    for (let count = 0; count < 200; count++) client.send(FLUSH)
    await wait(20)
    recogniser.padding = ''
    return client
  },
  'told to leave and still connected': async () => {
    const client = await ready()
    client.answersClose = false
    for (let count = 0; count < 5; count++) client.send({ opcode: TEXT, payload: '?' })
    await client.until(() => client.closing)
    return client
  },
}

async function vanishFromEveryState(clients: number): Promise<void> {
  const states = Object.values(STATES)
  for (let index = 0; index < clients; index++) {
    const client = await states[index % states.length]!()
    if (index % 2 === 0) client.socket.destroy()
    else client.reset()
    recogniser.setStalled(false)
  }
  await untilNothingIsOpen()
}

async function untilNothingIsOpen(): Promise<void> {
  for (const start = Date.now(); ; await wait(50)) {
    const { recent_sessions, reserved_ms } = await service.usage(account)
    const isSettled = recent_sessions.every(session => session.status !== 'active')
    // A client that left before its credential was redeemed keeps its reservation for the rest of the minute.
    if (isSettled && recogniser.openStreams === 0 && (await openConnections()) === 0) return
    if (Date.now() - start > 20_000)
      throw new Error(`still open: ${JSON.stringify({ recent_sessions, reserved_ms })}`)
  }
}

async function openConnections(): Promise<number> {
  return Number(/sauti_stream_open_connections (\d+)/.exec(await service.metrics.metrics())?.[1])
}

function resources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** The highest of several readings: repeated work has no timer while it runs. */
async function usualResources(): Promise<Record<string, number>> {
  const most: Record<string, number> = {}
  for (let look = 0; look < 40; look++) {
    await wait(50)
    for (const [name, count] of Object.entries(resources())) most[name] = Math.max(most[name] ?? 0, count)
  }
  return most
}

/** The pool of the database lets a connection that it no longer needs go after a minute. */
const LONGEST_IDLE_MS = 75_000

/** Idle connections of the test's own HTTP client and of the pool come and go; what a vanished client left would stay. */
async function untilNoMoreThan({ Timeout = 0, TCPSocketWrap = 0 }: Record<string, number>): Promise<void> {
  for (const start = Date.now(); ; await wait(200)) {
    const now = resources()
    if ((now.Timeout ?? 0) <= Timeout && (now.TCPSocketWrap ?? 0) <= TCPSocketWrap) return
    if (Date.now() - start > LONGEST_IDLE_MS) throw new Error(`left behind: ${JSON.stringify(now)}`)
  }
}

/** What a connection is made of. Counted by the runtime after it has collected its garbage: exact on any machine. */
const KINDS = { StreamSocket, Connection, Conversation, ScriptedStream }

function countObjects(): Record<string, number> {
  const counts = Object.entries(KINDS).map(([name, kind]) => [name, queryObjects(kind, { format: 'count' })])
  return Object.fromEntries(counts)
}

/** A socket is let go some turns of the loop after it is closed, later on a busy machine. */
async function untilObjectsAre(before: Record<string, number>): Promise<void> {
  await vi.waitFor(() => expect(countObjects()).toEqual(before), { timeout: 20_000, interval: 500 })
}

/** Without the log, which the test keeps. The lowest of several readings: buffers are freed over some turns of the loop. */
async function heldWithoutLog(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < 8; look++) {
    await wait(100)
    least = Math.min(least, heldBytes())
  }
  return least - service.logLines.reduce((sum, line) => sum + line.length, 0)
}

it('200 clients that vanish in every state leave no slot, no timer, no socket, no credit and no memory behind', async () => {
  const objectsBefore = countObjects()
  await vanishFromEveryState(100)
  const resourcesBefore = await usualResources()

  const held = [await heldWithoutLog()]
  for (let round = 0; round < ROUNDS; round++) {
    await vanishFromEveryState(CLIENTS_A_ROUND)
    held.push(await heldWithoutLog())
  }
  await untilObjectsAre(objectsBefore)
  expect(growthOf(held) / CLIENTS_A_ROUND, `bytes held: ${held}`).toBeLessThan(5_000)
  await untilNoMoreThan(resourcesBefore)
  expect(await service.metrics.metrics()).toMatch(/sauti_stream_pending_settlements 0/)

  await service.database.query(`UPDATE sessions SET expires_at = now() WHERE status = 'reserved'`)
  const { reserved_ms, available_ms, consumed_ms } = await service.usage(account)
  expect({ reserved_ms, sum: available_ms + consumed_ms }).toEqual({ reserved_ms: 0, sum: 1_000_000_000 })
}, 300_000)
