import { describe, expect, it } from 'vitest'
import { setAccountActive } from '#server/accounts/accounts.js'
import { settle } from '#server/ledger/settle.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { bearer, DHOLUO, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'

const plane = await openControlPlane({ sessionCreationsPerMinute: 2 })

describe('the order of checks', () => {
  it('reports the first of several errors by the agreed order, and the next when it is fixed', async () => {
    // A key for Dholuo only, whose account is inactive and has a session open, and whose rate is used up.
    const customer = await plane.customer({ models: [DHOLUO] })
    await plane.post(customer, { model: DHOLUO }, { 'idempotency-key': 'known' })
    await plane.post(customer, { model: DHOLUO })
    await setAccountActive(plane.db, customer.accountId, false)

    let key = customer.key.slice(0, -1)
    let body = `{"model": ${'x'.repeat(20_000)}`
    const headers = { 'content-type': 'text/plain', 'idempotency-key': 'known' }
    const steps: [string, () => unknown][] = [
      ['401 invalid_api_key', () => 'nothing is repaired yet'],
      ['403 account_inactive', () => (key = customer.key)],
      ['415 unsupported_media_type', () => setAccountActive(plane.db, customer.accountId, true)],
      ['413 request_too_large', () => (headers['content-type'] = 'application/json')],
      ['400 invalid_json', () => (body = '{"model":')],
      ['400 unknown_parameter', () => (body = '{"model":"nope","x":1}')],
      ['404 model_not_found', () => (body = '{"model":"nope"}')],
      ['403 model_not_allowed', () => (body = `{"model":"${KIKUYU}"}`)],
      ['409 idempotency_conflict', () => (body = `{"model":"${DHOLUO}","max_audio_seconds":5}`)],
      ['201 replayed', () => (body = `{"model":"${DHOLUO}"}`)],
      ['429 request_rate_exceeded', () => (headers['idempotency-key'] = 'new')],
    ]
    for (const [expected, repair] of steps) {
      await repair()
      const call = { method: 'POST', headers: { ...bearer({ key }), ...headers }, body }
      const { status, json } = await plane.call('/v1/asr/sessions', call)
      expect(`${status} ${json.error?.code ?? 'replayed'}`).toBe(expected)
    }
  })

  it('asks for the rate, then concurrency, then credit, then capacity', async () => {
    const rich = await plane.customer()
    const poor = await plane.customer({ creditMs: 1000 })
    const order = async (customer: Customer) =>
      (await plane.post(customer, { model: KIKUYU })).json.error?.code ?? 'created'
    expect([await order(rich), await order(poor)]).toEqual(['created', 'created'])
    plane.recogniser.capacity = 1
    expect(await order(poor)).toBe('concurrency_limit_exceeded')
    expect(await order(poor)).toBe('request_rate_exceeded')

    // A minute later the rate is free again, and the only second of the other account is consumed.
    const [session] = await plane.db.query<{ id: string }>('SELECT id FROM sessions WHERE account_id = $1', [
      poor.accountId,
    ])
    await redeemSession(plane.db, { sessionId: session!.id, nodeId: plane.nodeId, now: plane.now })
    await settle(plane.db, {
      sessionId: session!.id,
      ending: 'client_closed',
      acceptedSamples: 1,
      now: plane.now,
    })
    plane.now = new Date(plane.now.getTime() + 59_999)
    expect(await order(await plane.customer())).toBe('capacity_exceeded')
    plane.now = new Date(plane.now.getTime() + 1)
    expect(await order(poor)).toBe('insufficient_credits')
  })
})
