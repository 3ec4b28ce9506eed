// The rules of a key: how much it may use in a month, from where, and how it is replaced.

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { rotateKey } from '#server/accounts/key-rules.js'
import { listKeys } from '#server/accounts/keys.js'
import { extendReservation } from '#server/ledger/extend.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { type Answer, bearer, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'

const plane = await openControlPlane({}, { trustedProxies: ['127.0.0.1'] })
// The middle of a month, whenever the test runs.
plane.now = new Date('2030-06-15T12:00:00.000Z')

const create = (customer: Customer, seconds: number, headers = {}) =>
  plane.post(customer, { model: KIKUYU, max_audio_seconds: seconds }, headers)
const cancel = (customer: Customer, { json }: Answer) =>
  plane.call(`/v1/asr/sessions/${json.id}`, { method: 'DELETE', headers: bearer(customer) })

describe('the monthly limit of a key', () => {
  it('shortens the last reservation, then refuses with 402, and starts again with the next month', async () => {
    const customer = await plane.customer({ monthlyLimitMs: 100_000, concurrency: 9 })
    expect((await create(customer, 60)).json.credits).toMatchObject({ reserved: 60 })
    const last = await create(customer, 60)
    expect(last.json.credits).toMatchObject({ reserved: 40 })
    const refused = await create(customer, 1)
    expect(refused).toMatchObject({ status: 402, json: { error: { code: 'key_limit_reached' } } })
    // What was not used no longer counts.
    await cancel(customer, last)
    expect((await create(customer, 60)).json.credits).toMatchObject({ reserved: 40 })
    plane.now = new Date('2030-07-01T00:00:00.000Z')
    expect((await create(customer, 60)).json.credits).toMatchObject({ reserved: 60 })
    plane.now = new Date('2030-07-15T12:00:00.000Z')
  })

  it('is distinguished from an account without credit', async () => {
    const customer = await plane.customer({ monthlyLimitMs: 100_000, creditMs: 0 })
    expect((await create(customer, 1)).json.error.code).toBe('insufficient_credits')
  })

  it('holds for requests at the same moment, and not for their replays', async () => {
    const customer = await plane.customer({ monthlyLimitMs: 50_000, concurrency: 30 })
    const key = { 'idempotency-key': 'first' }
    expect(await create(customer, 10, key)).toMatchObject({
      status: 201,
      json: { credits: { reserved: 10 } },
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(customer, 10)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4)
    expect((await create(customer, 10, key)).status).toBe(201)
  })

  it('ends a stream that pays as it goes', async () => {
    const customer = await plane.customer({ monthlyLimitMs: 100_000 })
    const { json } = await create(customer, 60)
    await redeemSession(plane.db, { sessionId: json.id, nodeId: plane.nodeId, now: plane.now })
    const extend = () =>
      extendReservation(plane.db, { sessionId: json.id, requestedMs: 60_000, now: plane.now })
    expect([await extend(), await extend()]).toEqual([40_000, 0])
  })
})

describe('the addresses of a key', () => {
  const use = (customer: Customer, from: string) =>
    plane.call('/v1/usage', { headers: { ...bearer(customer), 'x-forwarded-for': from } })

  it('are the only ones that may use it', async () => {
    const customer = await plane.customer({
      allowedAddresses: ['198.51.100.7', '10.0.0.0/8', '2001:db8::/32'],
    })
    const statuses = async (...addresses: string[]) =>
      Promise.all(addresses.map(async from => (await use(customer, from)).status))
    expect(await statuses('198.51.100.7', '10.200.3.4', '2001:db8:1::9')).toEqual([200, 200, 200])
    expect(await statuses('198.51.100.8', '11.0.0.1', '2001:db9::1', 'nonsense')).toEqual([
      403, 403, 403, 403,
    ])
  })

  it('that used it are kept, the latest first and ten at most', async () => {
    const customer = await plane.customer()
    for (let host = 1; host <= 12; host++) {
      plane.now = new Date(plane.now.getTime() + 1000)
      await use(customer, `203.0.113.${host}`)
    }
    const [key] = await listKeys(plane.db, customer.accountId)
    expect(key!.uses.map(({ address }) => address)).toEqual(
      Array.from({ length: 10 }, (_, at) => `203.0.113.${12 - at}`),
    )
    expect(key!.lastUsedAt).toEqual(plane.now)
  })
})

describe('rotating a key', () => {
  const rotate = (customer: Customer, overlapMs: number) => {
    const newKeyId = randomUUID()
    const { accountId, keyId } = customer
    return plane.db.transaction(tx =>
      rotateKey(tx, { accountId, keyId, newKeyId, overlapMs, now: plane.now }),
    )
  }
  const status = async (key: string) => (await plane.call('/v1/usage', { headers: bearer({ key }) })).status

  it('gives a new key with the same rules; both work during the overlap, then only the new one', async () => {
    const customer = await plane.customer({ monthlyLimitMs: 7000, models: [KIKUYU] })
    const next = await rotate(customer, 60_000)
    expect([await status(customer.key), await status(next)]).toEqual([200, 200])
    plane.now = new Date(plane.now.getTime() + 60_000)
    expect([await status(customer.key), await status(next)]).toEqual([401, 200])
    const keys = await listKeys(plane.db, customer.accountId)
    const [old, fresh] = keys.toSorted(one => (one.id === customer.keyId ? -1 : 1))
    expect(old!.replacedBy).toBe(fresh!.id)
    expect(fresh).toMatchObject({ monthlyLimitMs: 7000, models: [KIKUYU], expiresAt: null })
  })

  it('happens once, also when two ask at the same moment', async () => {
    const customer = await plane.customer()
    const results = await Promise.allSettled([rotate(customer, 1000), rotate(customer, 1000)])
    expect(results.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(rotate(customer, 1000)).rejects.toMatchObject({ code: 'key_not_usable' })
  })

  it('never lengthens a key that expires sooner', async () => {
    const expiresAt = new Date(plane.now.getTime() + 5000)
    const customer = await plane.customer({ expiresAt })
    await rotate(customer, 3_600_000)
    const [old, fresh] = await listKeys(plane.db, customer.accountId)
    expect([old!.expiresAt, fresh!.expiresAt]).toEqual([expiresAt, expiresAt])
  })
})
