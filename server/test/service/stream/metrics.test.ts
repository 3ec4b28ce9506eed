// What Prometheus reads of the streams, and how many handshakes may be in progress.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#server/db/port.js'
import { ScriptedRecogniser } from '../../support/recogniser/scripted-recogniser.ts'
import { type ScriptedService, startScriptedService } from '../../support/service/scripted-service.ts'
import { RawClient } from '../../support/streams/raw-client.ts'

const recogniser = new ScriptedRecogniser()
let service: ScriptedService
/** While set, no credential is redeemed before it resolves. */
let redeeming: Promise<void> | undefined

function slow(real: Database): Database {
  return {
    ...real,
    query: async (sql, params) => {
      if (sql.includes("SET status = 'active'")) await redeeming
      return real.query(sql, params)
    },
  }
}

beforeAll(async () => {
  service = await startScriptedService({ recogniser, wrap: slow, env: { SAUTI_MAX_HANDSHAKES: '2' } })
})
afterAll(() => service.stop())

async function metric(name: string): Promise<number> {
  const lines = (await service.metrics.metrics()).split('\n')
  const line = lines.find(one => one.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1))
}

it('counts audio, endings and refusals, and measures delays', async () => {
  const account = await service.openAccount()
  const client = await service.connect(account)
  expect(await metric('sauti_stream_open_connections')).toBe(1)
  client.silence(40_000)
  client.flush()
  await client.next('final')
  recogniser.setStalled(true)
  client.silence(32_000)
  client.config()
  await client.next('config_ack')
  expect(await metric('sauti_stream_queued_audio_seconds')).toBe(2)
  recogniser.setStalled(false)
  await client.close()
  await service.ended(account)
  expect(await metric('sauti_stream_audio_seconds_total')).toBe(4.5)
  expect(await metric('sauti_stream_sessions_ended_total{ending="client_closed"}')).toBe(1)
  expect(await metric('sauti_stream_first_delta_seconds_count')).toBe(1)
  expect(await metric('sauti_stream_flush_to_final_seconds_count')).toBe(1)
  expect(await metric('sauti_stream_open_connections')).toBe(0)
  expect(await metric('sauti_stream_queued_audio_seconds')).toBe(0)

  const refused = await RawClient.handshake(service.port, service.ca, 'svc.realtime.v1')
  await refused.closed
  expect(await metric('sauti_stream_refusals_total{code="invalid_credential"}')).toBe(1)
})

it('refuses a handshake while too many are under way, and takes it afterwards', async () => {
  const account = await service.openAccount(600, 3)
  const sessions = [await service.createSession(account), await service.createSession(account)]
  const third = await service.createSession(account)
  let redeem: () => void = () => undefined
  redeeming = new Promise(resolve => {
    redeem = resolve
  })
  const waiting = sessions.map(session => service.open(session))
  await Promise.all(waiting.map(client => new Promise(resolve => client.socket.once('open', resolve))))
  const refused = await RawClient.handshake(service.port, service.ca, third.websocket_protocols.join(', '))
  await refused.closed
  expect(refused.head).toContain(' 503 ')
  expect(refused.head).toMatch(/^Retry-After: \d+$/m)
  expect(JSON.parse(refused.body).error.code).toBe('capacity_exceeded')
  redeem()
  redeeming = undefined
  await Promise.all(waiting.map(client => client.next('ready')))
  const late = service.open(third)
  await late.next('ready')
  await Promise.all([...waiting, late].map(client => client.close()))
})
