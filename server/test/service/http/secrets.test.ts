// Keys and credentials leave no trace: not in the log, not in an error, not in the database, not in a file.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bearer, type ControlPlane, KIKUYU, startControlPlane } from '../../support/service/control-plane.ts'
import { type Customer, createCustomer } from '../../support/service/customer.ts'
import { type Answer, ask } from '../../support/service/https.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'
import { dumpDatabase, readAll } from '../../support/traces.ts'

let service: TestService
let plane: ControlPlane
beforeAll(async () => {
  service = await startTestService()
  plane = await startControlPlane()
})
afterAll(async () => {
  await service.stop()
  await plane.close()
})

/** Sends a secret in every place, valid or not. Returns the response that creates the session. */
async function provoke(call: (path: string, options: object) => Promise<Answer>, customer: Customer) {
  const json = { 'content-type': 'application/json' }
  const order = JSON.stringify({ model: KIKUYU })
  const create = {
    method: 'POST',
    headers: { ...bearer(customer), ...json, 'idempotency-key': 'k' },
    body: order,
  }
  const created = await call('/v1/asr/sessions', create)
  const [, credential] = JSON.parse(created.body).websocket_protocols as [string, string]
  const secrets = [customer.key, credential]
  const answers: Answer[] = []
  for (const secret of secrets) {
    const post = (body: string, headers: object = {}) => ({
      method: 'POST',
      headers: { ...bearer(customer), ...json, ...headers },
      body,
    })
    answers.push(
      await call(`/v1/usage?key=${secret}`, { headers: bearer(customer) }),
      await call(`/v1/models/${secret}`, {}),
      await call('/v1/usage', { headers: { authorization: secret } }),
      await call('/v1/usage', { headers: { authorization: `Bearer ${secret}x` } }),
      await call('/v1/usage', {
        headers: { authorization: `Basic ${Buffer.from(`u:${secret}`).toString('base64')}` },
      }),
      await call('/v1/asr/stream', { headers: { 'sec-websocket-protocol': `svc.realtime.v1, ${secret}` } }),
      await call('/v1/asr/sessions', post(`{"${secret}`)),
      await call('/v1/asr/sessions', post(JSON.stringify({ model: secret }))),
      await call('/v1/asr/sessions', post(JSON.stringify({ model: KIKUYU, [secret]: 1 }))),
      await call('/v1/asr/sessions', post(order, { 'idempotency-key': `${secret}/` })),
      await call('/v1/asr/sessions', post(order, { 'content-type': secret })),
      await call('/v1/asr/sessions', { ...post(order), method: 'PUT' }),
    )
  }
  return { secrets, answers }
}

/** A secret, plain and in the encodings in which it could have been stored by mistake. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const body = secret.slice(secret.lastIndexOf('.') + 1).replace(/^svc_live_v1_/, '')
  return [body, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')]
}

it('the whole service, however it is asked, writes no key and no credential anywhere', async () => {
  const customer = await createCustomer(service.database, new Date())
  const call = (path: string, options: object) =>
    ask(service.baseUrl + path, { agent: service.agent, ...options })
  const { secrets, answers } = await provoke(call, customer)
  const written = {
    answers: JSON.stringify(answers),
    log: service.log(),
    database: await dumpDatabase(service.database),
    files: readAll(service.dataDir),
  }
  expect(written.database).toContain(createHash('sha256').update(customer.key).digest('hex'))
  for (const [place, text] of Object.entries(written)) {
    for (const secret of secrets) {
      for (const disguise of disguises(secret))
        expect(text.includes(disguise), `${disguise} in ${place}`).toBe(false)
    }
  }
})

it('the HTTP part itself logs none, also without the mask of the log and when the database fails', async () => {
  const customer = await plane.customer()
  const call = async (path: string, options: object): Promise<Answer> => {
    const { text, ...answer } = await plane.call(path, options)
    return { ...answer, body: text }
  }
  const { secrets } = await provoke(call, customer)
  plane.databaseFault = new Error('away')
  await plane.post(customer, { model: KIKUYU })
  plane.databaseFault = undefined
  const log = plane.logLines.join('')
  expect(log).toContain('away')
  for (const secret of secrets) {
    for (const disguise of disguises(secret)) expect(log.includes(disguise)).toBe(false)
  }
})
