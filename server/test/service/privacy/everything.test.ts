// Speech that the models write down, keys, credentials, phrases and passwords go through a whole service by every door it has, rightly
// and wrongly. Then everything that the process wrote is searched for them, in every form.

import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { COMMAND_LINE } from '#server/accounts/audit.js'
import { createOperator } from '#server/accounts/operators.js'
import { openDatabase } from '#server/db/open.js'
import type { Database } from '#server/db/port.js'
import { readConfig } from '#server/settings/config.js'
import { findFreePort } from '../../../../scripts/postgres-for-tests.mjs'
import { type ServiceProcess, startServiceProcess } from '../../../../scripts/service-process.mjs'
import { findTraces } from '../../support/canaries.ts'
import {
  createTestDatabase,
  currentEngine,
  failOnLoss,
  type TestDatabase,
} from '../../support/database/database.ts'
import { MODELS_DIR, readSamples } from '../../support/recogniser/samples.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { encodeForm } from '../../support/service/forms.ts'
import { FrontDoor } from '../../support/service/front-door.ts'
import { type Answer, ask } from '../../support/service/https.ts'
import { connectForeign, hearAll } from '../../support/streams/foreign-clients.ts'
import { StreamClient } from '../../support/streams/stream-client.ts'
import { dumpDatabase } from '../../support/traces.ts'

const MODEL = 'svc-asr-kikuyu-v1'
const COMPLETED = 'conversation.item.input_audio_transcription.completed'

let store: TestDatabase
let service: ServiceProcess
let database: Database
let customer: Customer
let url: string
let metricsPort: number
/** From the moment on at which it is ready: before that nobody has said anything. */
const log: Buffer[] = []
let agent: Agent
const temporary = mkdtempSync(join(tmpdir(), 'sauti-canary-'))
const secret = (word: string) => `${word}-${randomBytes(12).toString('hex')}`
const phrase = `ndagĩrĩire ${randomBytes(8).toString('hex')}`
const clip = readSamples('ki')[0]!
const sound = Buffer.from(clip.pcm.buffer)
const canaries: Record<string, Buffer> = {
  phrase: Buffer.from(phrase),
  sound: sound.subarray(20_000, 20_064),
}

beforeAll(async () => {
  store = await createTestDatabase()
  metricsPort = await findFreePort()
  service = await startServiceProcess({
    ...store.env,
    TMPDIR: temporary,
    SAUTI_PORT: '0',
    SAUTI_METRICS_PORT: String(metricsPort),
    SAUTI_LOG_LEVEL: 'trace',
    SAUTI_MODELS_DIR: MODELS_DIR,
    SAUTI_RECOGNISER_WORKERS: '1',
  })
  for (const output of [service.child.stdout!, service.child.stderr!])
    output.on('data', part => log.push(part))
  url = `https://127.0.0.1:${service.port}`
  agent = new Agent({ ca: service.ca, keepAlive: false })
  database = await openDatabase(readConfig({ ...store.env }), { as: 'command', ...failOnLoss })
  customer = await createCustomer(database, new Date(), { concurrency: 20 })
  canaries.key = Buffer.from(customer.key.replace('svc_live_v1_', ''))
}, 120_000)

afterAll(async () => {
  await closeDatabase()
  await service?.end('SIGKILL')
  await store?.remove()
  rmSync(temporary, { recursive: true, force: true })
})

let isClosed = false
async function closeDatabase(): Promise<void> {
  if (!isClosed) await database?.close()
  isClosed = true
}

/** Remembers a text that must not be found. Long texts are cut: part of one is as bad as all of it. */
function plant(name: string, text: string): void {
  expect(text.length, `${name} is too short to look for`).toBeGreaterThan(8)
  canaries[name] = Buffer.from(text)
}

function plantTranscript(where: string, text: string): void {
  plant(`transcript (${where})`, text)
  const words = text.split(' ')
  for (let at = 0; at + 2 < words.length; at += 3)
    plant(`words ${at} to ${at + 2} (${where})`, words.slice(at, at + 3).join(' '))
}

function call(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Answer> {
  return ask(url + path, { agent, method, headers, ...(body === undefined ? {} : { body }) })
}

const bearer = () => ({ authorization: `Bearer ${customer.key}` })
const json = { 'content-type': 'application/json' }

async function speakOnOurWire(): Promise<void> {
  const door = new FrontDoor(service)
  const session = await door.createSession(customer)
  plant('credential', session.websocket_protocols[1].replace('svc.auth.', ''))
  const client = await StreamClient.ready(session, service.ca)
  client.config({ context: [phrase] })
  await client.next('config_ack')
  client.audio(sound.subarray(0, 60_000))
  client.audio(sound.subarray(60_000))
  client.text(`{"type":"${phrase}"}`)
  client.text(phrase)
  client.config({ language: phrase })
  client.flush()
  plantTranscript('stream', (await client.next('final')).text)
  const second = new StreamClient(session, service.ca)
  await second.closed
  client.audio(Buffer.alloc(70_000, sound.subarray(20_000, 20_064)))
  expect((await client.closed).code).toBe(1009)
}

async function transcribeFiles(): Promise<void> {
  const wav = readFileSync(clip.path)
  const { contentType, body } = await encodeForm({ model: MODEL, file: wav, prompt: phrase })
  const file = await call(
    'POST',
    '/v1/audio/transcriptions',
    { ...bearer(), 'content-type': contentType },
    body,
  )
  expect(file.status).toBe(200)
  plantTranscript('file', JSON.parse(file.body).text)
  const broken = await encodeForm({ model: MODEL, file: wav.subarray(40), prompt: phrase })
  const refused = await call(
    'POST',
    '/v1/audio/transcriptions',
    { ...bearer(), 'content-type': broken.contentType },
    broken.body,
  )
  expect(refused.status).toBe(400)
  const query = new URLSearchParams({ model: MODEL, keyterm: phrase })
  const listened = await call(
    'POST',
    `/v1/listen?${query}`,
    { authorization: `Token ${customer.key}`, 'content-type': 'audio/wav' },
    wav,
  )
  expect(listened.status).toBe(200)
  plantTranscript('file, Deepgram', JSON.parse(listened.body).results.channels[0].alternatives[0].transcript)
}

async function speakOnDeepgramsWire(): Promise<void> {
  const query = new URLSearchParams({
    model: MODEL,
    encoding: 'linear16',
    sample_rate: '16000',
    keyterm: phrase,
  })
  const socket = connectForeign(service, { path: `/v1/listen?${query}`, protocols: ['token', customer.key] })
  await once(socket, 'open')
  const heard = hearAll(socket)
  socket.send(sound)
  socket.send(JSON.stringify({ type: phrase }))
  socket.send(JSON.stringify({ type: 'CloseStream' }))
  const { told } = await heard
  const transcripts = told.flatMap(({ channel }) => channel?.alternatives?.[0]?.transcript ?? [])
  plantTranscript(
    'stream, Deepgram',
    transcripts.reduce((a, b) => (b.length > a.length ? b : a), ''),
  )
}

async function speakOnOpenAisWire(): Promise<void> {
  const socket = connectForeign(service, { path: `/v1/realtime?model=${MODEL}`, headers: bearer() })
  await once(socket, 'open')
  const say = (type: string, fields: object = {}) => socket.send(JSON.stringify({ type, ...fields }))
  const input = {
    format: { type: 'audio/pcm', rate: 24_000 },
    turn_detection: null,
    transcription: { prompt: phrase },
  }
  socket.on('message', data => {
    if (JSON.parse(String(data)).type === COMPLETED) socket.close()
  })
  const heard = hearAll(socket)
  say('session.update', { session: { type: 'transcription', audio: { input } } })
  say(phrase)
  // At another rate than it was recorded with, so that other words are heard: they count all the same.
  say('input_audio_buffer.append', { audio: sound.toString('base64') })
  say('input_audio_buffer.commit')
  const { told } = await heard
  plant('transcript (stream, OpenAI)', told.find(({ type }) => type === COMPLETED)!.transcript)
}

class Visitor {
  readonly #cookies = new Map<string, string>()

  async call(path: string, body: object): Promise<Answer> {
    const cookie = [...this.#cookies].map(pair => pair.join('=')).join('; ')
    const answer = await call(
      'POST',
      `/console/api${path}`,
      { ...json, origin: url, cookie },
      JSON.stringify(body),
    )
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = line.split(';')[0]!.split('=', 2)
      this.#cookies.set(name, value)
    }
    return answer
  }

  get secrets(): [string, string][] {
    return [...this.#cookies].filter(([name]) => /session_token|device/.test(name))
  }
}

async function signIn(): Promise<void> {
  const email = `${randomUUID()}@operators.test`
  const operator = {
    id: randomUUID(),
    email,
    name: 'An operator',
    operatorRole: 'owner' as const,
    accountId: null,
    actor: COMMAND_LINE,
    publicUrl: url,
    now: new Date(),
  }
  const { link } = await database.transaction(tx => createOperator(tx, operator))
  const token = new URL(link.url).hash.slice(1)
  const passwords = { right: secret('password'), wrong: secret('wrong') }
  for (const [name, text] of Object.entries({ token, ...passwords })) plant(`console ${name}`, text)
  const visitor = new Visitor()
  await visitor.call('/sign-in', { email, password: passwords.wrong })
  await visitor.call('/set-password', { token: `${token.slice(0, -1)}x`, password: passwords.right })
  expect((await visitor.call('/set-password', { token, password: passwords.right })).status).toBe(200)
  expect((await visitor.call('/sign-in', { email, password: passwords.wrong })).status).toBe(401)
  expect((await visitor.call('/sign-in', { email, password: passwords.right })).status).toBe(200)
  await visitor.call('/change-password', { current_password: passwords.wrong, new_password: secret('other') })
  // The database keeps the token of a sign-in. A cookie is good only with the signature behind it, which is kept nowhere.
  for (const [name, value] of visitor.secrets) {
    const cookie = decodeURIComponent(value)
    plant(`cookie ${name}`, cookie)
    plant(`signature of ${name}`, cookie.slice(cookie.indexOf('.') + 1))
  }
}

async function makeMistakes(): Promise<void> {
  const unknown = `svc_live_v1_${randomBytes(24).toString('hex')}`
  plant('a key of nobody', unknown.replace('svc_live_v1_', ''))
  const credential = Buffer.from(canaries.credential!).toString()
  const requests: [string, string, Record<string, string>, string?][] = [
    ['GET', '/v1/usage', { authorization: `Bearer ${unknown}` }],
    ['GET', `/v1/usage?key=${customer.key}`, {}],
    ['GET', `/${encodeURIComponent(phrase)}?q=${encodeURIComponent(phrase)}`, {}],
    ['POST', '/v1/asr/sessions', { ...bearer(), ...json }, `{"${phrase}"`],
    ['POST', '/v1/asr/sessions', { ...bearer(), ...json }, JSON.stringify({ model: phrase })],
    [
      'POST',
      '/v1/asr/sessions',
      { ...bearer(), ...json },
      JSON.stringify({ model: MODEL, [phrase]: phrase }),
    ],
    ['POST', '/v1/asr/sessions', { ...bearer(), 'content-type': 'text/plain', 'x-note': credential }, phrase],
    [
      'GET',
      `/v1/asr/stream?credential=${credential}`,
      { 'sec-websocket-protocol': `svc.realtime.v1, svc.auth.${credential}` },
    ],
    [
      'POST',
      '/console/api/sign-in',
      { ...json, origin: url },
      JSON.stringify({ email: phrase, password: phrase }),
    ],
  ]
  for (const [method, path, headers, body] of requests) await call(method, path, headers, body)
}

function readMetrics(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`http://127.0.0.1:${port}/metrics`, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', part => {
        text += part
      })
      answer.on('end', () => resolve(text))
    }).on('error', reject)
  })
}

function readFolder(folder: string): Record<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name).replace(folder, ''),
      readFileSync(join(parentPath, name)),
    ]),
  )
}

/** The files of a PostgreSQL that runs; those that go meanwhile are gone. */
async function readPostgresFiles(): Promise<Record<string, Buffer>> {
  if (currentEngine() !== 'postgres') return {}
  await database.query('CHECKPOINT')
  const [row] = await database.query<{ data_directory: string; oid: number }>(
    `SELECT current_setting('data_directory') AS data_directory, oid::int FROM pg_database WHERE datname = current_database()`,
  )
  const { data_directory: folder, oid } = row!
  return { ...readFolder(join(folder, 'base', String(oid))), ...readFolder(join(folder, 'pg_wal')) }
}

it('nothing that is spoken or secret is written anywhere', async () => {
  await speakOnOurWire()
  await transcribeFiles()
  await speakOnDeepgramsWire()
  await speakOnOpenAisWire()
  await signIn()
  await makeMistakes()

  const places: Record<string, Buffer> = {
    metrics: Buffer.from(await readMetrics(metricsPort)),
    database: Buffer.from(await dumpDatabase(database)),
    ...(await readPostgresFiles()),
  }
  await closeDatabase()
  expect(await service.end('SIGTERM')).toBe(0)
  places.log = Buffer.concat(log)
  Object.assign(places, readFolder(store.env.SAUTI_DATA_DIR!), readFolder(temporary))

  expect(places.log.length).toBeGreaterThan(1000)
  expect(places.database!.length).toBeGreaterThan(1000)
  expect(Object.keys(canaries).length).toBeGreaterThan(20)
  expect(findTraces(places, canaries)).toEqual([])
}, 600_000)
