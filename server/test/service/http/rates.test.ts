import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { generateApiKey } from '#server/accounts/api-key.js'
import { createKey } from '#server/accounts/keys.js'
import { type Answer, bearer, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'

const plane = await openControlPlane({
  sessionCreationsPerMinute: 2,
  usageReadsPerMinute: 3,
  modelListsPerMinute: 4,
})

function wait(seconds: number): void {
  plane.now = new Date(plane.now.getTime() + seconds * 1000)
}

/** The rate limit headers that a client reads. */
function rate({ status, headers }: Answer) {
  return [status, headers.ratelimit, headers['ratelimit-policy'], headers['retry-after']]
}

describe('request rates', () => {
  it('hold for usage by account, are told in headers, and pass', async () => {
    const customer = await plane.customer()
    const read = (by: Customer) => plane.call('/v1/usage', { headers: bearer(by) })
    const policy = '"usage";q=3;w=60'
    expect(rate(await read(customer))).toEqual([200, '"usage";r=2;t=60', policy, undefined])
    wait(10)
    expect(rate(await read(customer))).toEqual([200, '"usage";r=1;t=50', policy, undefined])
    expect(rate(await read(customer))).toEqual([200, '"usage";r=0;t=50', policy, undefined])
    expect(rate(await read(customer))).toEqual([429, '"usage";r=0;t=50', policy, '50'])
    expect((await read(await plane.customer())).status).toBe(200)
    wait(50)
    expect(rate(await read(customer))).toEqual([200, '"usage";r=0;t=10', policy, undefined])
  })

  it('hold for models by address, whatever address a client claims', async () => {
    const list = (from: string) =>
      plane.call('/v1/models', { headers: { 'x-forwarded-for': from, forwarded: `for=${from}` } })
    for (let i = 0; i < 4; i++) expect((await list(`192.0.2.${i}`)).status).toBe(200)
    expect(rate(await list('192.0.2.9'))).toEqual([429, '"models";r=0;t=60', '"models";q=4;w=60', '60'])
  })

  it('hold for keys that do not exist by address, and never for a good one beside them', async () => {
    const customer = await plane.customer()
    const guess = () => plane.call('/v1/usage', { headers: bearer({ key: generateApiKey() }) })
    for (let turn = 0; turn < 30; turn++) expect((await guess()).status).toBe(401)
    expect(await guess()).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
    expect((await plane.call('/v1/usage', { headers: bearer(customer) })).status).toBe(200)
    wait(60)
    expect((await guess()).status).toBe(401)
  })

  it('hold for an account, however many keys it has', async () => {
    const customer = await plane.customer()
    const order = { accountId: customer.accountId, name: '', models: null, expiresAt: null, now: plane.now }
    const key = (await createKey(plane.db, { ...order, id: randomUUID() }))!
    for (const by of [customer, { key }, customer])
      expect((await plane.call('/v1/usage', { headers: bearer(by) })).status).toBe(200)
    expect((await plane.call('/v1/usage', { headers: bearer({ key }) })).status).toBe(429)
  })

  it('hold for sessions by account; replays, conflicts and bad requests are not counted', async () => {
    const customer = await plane.customer()
    const key = { 'idempotency-key': 'k' }
    const policy = '"sessions";q=2;w=60'
    expect(rate(await plane.post(customer, { model: KIKUYU }, key))).toEqual([
      201,
      '"sessions";r=1;t=60',
      policy,
      undefined,
    ])
    for (let i = 0; i < 5; i++) {
      expect(rate(await plane.post(customer, { model: KIKUYU }, key))).toEqual([
        201,
        '"sessions";r=1;t=60',
        policy,
        undefined,
      ])
      expect((await plane.post(customer, { model: KIKUYU, max_audio_seconds: 9 }, key)).status).toBe(409)
      expect((await plane.post(customer, {})).status).toBe(400)
    }
    expect(rate(await plane.post(customer, { model: KIKUYU }))).toEqual([
      429,
      '"sessions";r=0;t=60',
      policy,
      '60',
    ])
    const refused = await plane.post(customer, { model: KIKUYU })
    expect(refused.json.error.code).toBe('request_rate_exceeded')
    // A retry with the same key is still answered.
    expect((await plane.post(customer, { model: KIKUYU }, key)).status).toBe(201)
  })
})
