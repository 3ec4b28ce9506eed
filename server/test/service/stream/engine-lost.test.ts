import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { ask } from '../../support/service/https.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import { type SessionAnswer, StreamClient } from '../../support/streams/stream-client.ts'

const STREAMS = 20
const AUDIO_SECONDS = 4

let service: TestService
let customer: Customer
beforeAll(async () => {
  service = await startTestService({
    env: { SAUTI_RECOGNISER_WORKERS: '2', SAUTI_ENGINE_WAIT_SECONDS: '30' },
  })
  customer = await createCustomer(service.database, new Date(), { concurrency: STREAMS + 1 })
})
afterAll(() => service.stop())

async function openStream(): Promise<{ id: string; client: StreamClient }> {
  const answer = await ask(`${service.baseUrl}/v1/asr/sessions`, {
    agent: service.agent,
    method: 'POST',
    headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-asr-kikuyu-v1', max_audio_seconds: 30 }),
  })
  expect(answer.status).toBe(201)
  const session: SessionAnswer = JSON.parse(answer.body)
  return { id: session.id, client: await StreamClient.ready(session, service.ca) }
}

/** The processes of this service's engines. */
function enginePids(): number[] {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  })
  const engines = children.split('\n').filter(line => line.includes('engine-worker.js'))
  return engines.map(line => Number.parseInt(line, 10))
}

async function readSessions() {
  const rows = await service.database.query<{ id: string; status: string; billable_ms: number }>(
    'SELECT id, status, billable_ms FROM sessions',
  )
  return new Map(rows.map(row => [row.id, row]))
}

it('an engine killed in the middle of 20 streams: exactly its own fail, unbilled; the others go on; the next is served', async () => {
  const streams = await Promise.all(Array.from({ length: STREAMS }, openStream))
  for (const { client } of streams) client.silence(AUDIO_SECONDS * 16_000)
  process.kill(enginePids()[0]!, 'SIGKILL')
  for (const { client } of streams) client.flush()

  const outcomes = await Promise.all(
    streams.map(async ({ id, client }) => {
      const ended = await Promise.race([client.closed, client.next('final').catch(() => client.closed)])
      return { id, client, lost: 'code' in ended, ended }
    }),
  )
  const lost = outcomes.filter(outcome => outcome.lost)
  const others = outcomes.filter(outcome => !outcome.lost)
  expect(lost.length).toBeGreaterThan(0)
  expect(others.length).toBeGreaterThan(0)
  for (const { ended } of lost) expect(ended).toEqual({ code: 1013, reason: 'engine_unavailable' })
  await Promise.all(others.map(({ client }) => client.close()))

  await vi.waitFor(async () => {
    const sessions = await readSessions()
    for (const { id } of lost) expect(sessions.get(id)).toMatchObject({ status: 'failed', billable_ms: 0 })
    for (const { id } of others) {
      expect(sessions.get(id)).toMatchObject({ status: 'completed', billable_ms: AUDIO_SECONDS * 1000 })
    }
  }, 10_000)

  const { client } = await openStream()
  client.silence(16_000)
  client.flush()
  expect(await client.next('final')).toMatchObject({ text: expect.any(String), billable_ms: 1000 })
  await client.close()
})
