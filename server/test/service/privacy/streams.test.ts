// Canaries: a key, a credential, phrases, a transcript and audio go through a service, in valid and invalid requests. Then everything that
// was written is searched for them.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import type { AsrSession } from '@sauti/protocol/http'
import { expect, it, vi } from 'vitest'
import type { Database } from '#server/db/port.js'
import { openTestDatabase } from '../../support/database/database.ts'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { type Door, FrontDoor } from '../../support/service/front-door.ts'
import { startScriptedService } from '../../support/service/scripted-service.ts'
import { startTestService } from '../../support/service/service.ts'
import { BINARY, RawClient, TEXT } from '../../support/streams/raw-client.ts'
import { StreamClient } from '../../support/streams/stream-client.ts'
import { dumpDatabase, readAll } from '../../support/traces.ts'

const PATIENCE = { timeout: 20_000, interval: 50 }

interface Canaries {
  readonly phrase: string
  readonly audio: Buffer
}

function createCanaries(): Canaries {
  return { phrase: `ndagiriire ${randomBytes(8).toString('hex')}`, audio: randomBytes(64) }
}

/** A canary, plain and in the encodings in which it could have been stored by mistake. */
function disguises(canary: Buffer): string[] {
  const samples = Array.from(new Int16Array(canary.buffer, canary.byteOffset, Math.floor(canary.length / 2)))
  const base64 = canary.subarray(0, canary.length - (canary.length % 3)).toString('base64')
  return [canary.toString('latin1'), canary.toString('hex'), base64, samples.slice(0, 8).join(',')]
}

function expectNoTrace(written: Record<string, string>, canaries: Record<string, Buffer>): void {
  for (const [place, text] of Object.entries(written)) {
    expect(text.length, `nothing to search in ${place}`).toBeGreaterThan(0)
    for (const [name, canary] of Object.entries(canaries)) {
      for (const disguise of disguises(canary))
        expect(text.includes(disguise), `${name} in ${place}`).toBe(false)
    }
  }
}

function asCanaries({ phrase, audio }: Canaries, { key }: Customer, sessions: readonly AsrSession[]) {
  const credentials = sessions.map((session, index) => {
    const [, credential] = session.websocket_protocols
    return [`credential ${index}`, Buffer.from(credential.replace('svc.auth.', ''))] as const
  })
  return {
    phrase: Buffer.from(phrase),
    audio,
    key: Buffer.from(key.replace('svc_live_v1_', '')),
    ...Object.fromEntries(credentials),
  }
}

function chirp({ audio }: Canaries): Buffer {
  return Buffer.concat(Array.from({ length: 500 }, () => audio))
}

/** Says everything that a client can say, rightly and wrongly. */
async function converse(client: StreamClient, canaries: Canaries): Promise<void> {
  client.config({ context: [canaries.phrase] })
  await client.next('config_ack')
  client.audio(chirp(canaries))
  client.config({ context: [canaries.phrase] })
  client.config({ language: canaries.phrase })
  client.text(`{"type":"${canaries.phrase}"}`)
  client.text(canaries.phrase)
  client.text(JSON.stringify({ type: 'config', context: { phrase: canaries.phrase } }))
  client.flush()
  await client.next('final')
  client.audio(chirp(canaries))
  client.reset()
  await client.next('reset_ack')
}

/** Offers the credential in every wrong way. */
async function misuse({ port, ca }: Door, session: AsrSession): Promise<void> {
  const [protocol, credential] = session.websocket_protocols
  const offers = [
    credential,
    `${credential}, ${protocol}`,
    `${protocol}, ${credential}x`,
    `${protocol}, ${credential}`,
  ]
  for (const offer of offers) {
    const client = await RawClient.handshake(
      port,
      ca,
      offer,
      `Authorization: ${credential}\r\nX-Key: ${credential}\r\n`,
    )
    await client.closed
  }
  const inUrl = await RawClient.open(port, ca)
  inUrl.socket.write(
    `GET /v1/asr/stream?credential=${credential} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
  )
  await inUrl.closed
}

function readMetrics(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`http://127.0.0.1:${port}/metrics`, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('end', () => resolve(Buffer.concat(chunks).toString()))
    }).on('error', reject)
  })
}

it('the whole service writes no key, credential, phrase, transcript or audio anywhere', async () => {
  const service = await startTestService()
  const door = new FrontDoor(service)
  const customer = await createCustomer(service.database, new Date(), { concurrency: 5 })
  const canaries = createCanaries()
  const sessions = [await door.createSession(customer), await door.createSession(customer)]
  const client = await StreamClient.ready(sessions[0]!, service.ca)
  await converse(client, canaries)
  await misuse(service, sessions[0]!)
  await client.close()

  const broken = await RawClient.ready(service.port, sessions[1]!, service.ca)
  broken.send(
    { opcode: BINARY, payload: chirp(canaries) },
    { opcode: TEXT, payload: `${canaries.phrase}\xff`, reserved: 1 },
  )
  await broken.closed
  await door.ended(customer)

  const transcripts = client.all('final').map(final => final.text)
  expect(transcripts.join('').length).toBeGreaterThan(20)
  const written = {
    log: service.log(),
    database: await dumpDatabase(service.database),
    files: readAll(service.dataDir),
    metrics: await readMetrics(service.metricsPort!),
  }
  expectNoTrace(written, {
    ...asCanaries(canaries, customer, sessions),
    transcript: Buffer.from(transcripts[0]!.slice(0, 40)),
  })
  await service.stop()
})

it('nor when everything fails: engine, database, and the client itself', async () => {
  const canaries = createCanaries()
  const recogniser = new ScriptedRecogniser()
  recogniser.padding = `siri ${randomBytes(8).toString('hex')}`
  const database = await openTestDatabase()
  let isDown = false
  const wrap = (real: Database): Database => ({
    ...real,
    query: async (sql, params) => {
      if (isDown) throw Object.assign(new Error('Connection terminated'), { parameters: params })
      return real.query(sql, params)
    },
  })
  const service = await startScriptedService({ recogniser, database, wrap })
  const customer = await service.openAccount(600, 10)
  const sessions = []
  for (let count = 0; count < 4; count++) sessions.push(await service.createSession(customer))

  const dying = service.open(sessions[0]!)
  await dying.next('ready')
  await converse(dying, canaries)
  for (const stream of recogniser.streams) stream.die(new Error('the engine broke'))
  await dying.closed

  const cutOff = service.open(sessions[1]!)
  await cutOff.next('ready')
  await converse(cutOff, canaries)
  isDown = true
  await service.open(sessions[2]!).closed
  cutOff.socket.terminate()
  const journal = join(database.env.SAUTI_DATA_DIR!, 'settlements.jsonl')
  await vi.waitFor(() => expect(readFileSync(journal, 'utf8')).toContain('client_vanished'), PATIENCE)
  const files = readAll(database.env.SAUTI_DATA_DIR!)
  const log = service.logLines.join('')
  expect(log).toContain('the engine broke')
  isDown = false

  await service.drain(0)
  await vi.waitFor(
    async () => expect(await service.metrics.metrics()).toMatch(/sauti_stream_pending_settlements 0/),
    PATIENCE,
  )
  const written = {
    log,
    files,
    laterLog: service.logLines.join(''),
    database: await dumpDatabase(database.database),
    metrics: await service.metrics.metrics(),
  }
  expectNoTrace(written, {
    ...asCanaries(canaries, customer, sessions),
    transcript: Buffer.from(recogniser.padding),
  })
  await service.stop()
  await database.close()
})
