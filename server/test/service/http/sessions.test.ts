import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { setConcurrencyLimit } from '#server/accounts/accounts.js'
import { settle } from '#server/ledger/settle.js'
import { deriveCredentialKeys, readCredential } from '#server/sessions/credential.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { type Answer, bearer, DHOLUO, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'

const plane = await openControlPlane()

const order = { model: KIKUYU }
const readUsage = async (customer: Customer) =>
  (await plane.call('/v1/usage', { headers: bearer(customer) })).json

function wait(seconds: number): void {
  plane.now = new Date(plane.now.getTime() + seconds * 1000)
}

async function finish(sessionId: string, acceptedSamples: number): Promise<void> {
  await redeemSession(plane.db, { sessionId, nodeId: plane.nodeId, now: plane.now })
  await settle(plane.db, { sessionId, ending: 'client_closed', acceptedSamples, now: plane.now })
}

describe('a created session', () => {
  it('is described as the specification says', async () => {
    const { status, headers, json } = await plane.post(await plane.customer({ creditMs: 100_500 }), order)
    expect(status).toBe(201)
    expect(headers['x-request-id']).toBeDefined()
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      object: 'asr.session',
      status: 'reserved',
      model: KIKUYU,
      websocket_url: 'wss://sauti.test/v1/asr/stream',
      websocket_protocols: ['svc.realtime.v1', expect.stringMatching(/^svc\.auth\.[A-Za-z0-9_-]{72}$/)],
      expires_at: new Date(plane.now.getTime() + 60_000).toISOString(),
      audio: {
        encoding: 'pcm_s16le',
        sample_rate_hz: 16_000,
        channels: 1,
        max_audio_seconds: 60,
        context_size: [56, 13],
      },
      credits: { unit: 'audio_second', reserved: 60, remaining: 40.5 },
    })
  })

  it('has a credential that names it and its expiry', async () => {
    const { json } = await plane.post(await plane.customer(), order)
    const key = deriveCredentialKeys(['a secret that only the test knows'])
    expect(readCredential(key, json.websocket_protocols[1])).toEqual({
      sessionId: json.id,
      expiresAt: new Date(json.expires_at),
    })
  })

  it.each([
    [999, 60, undefined],
    [1000, 60, 1],
    [1999, 60, 1],
    [59_999, 60, 59],
    [60_000, 60, 60],
    [500_000, 300, 300],
    [500_000, 1, 1],
  ])('with %i ms of credit and %i s asked for reserves %s s', async (creditMs, seconds, reserved) => {
    const { status, json } = await plane.post(await plane.customer({ creditMs }), {
      ...order,
      max_audio_seconds: seconds,
    })
    expect(status).toBe(reserved === undefined ? 402 : 201)
    if (reserved === undefined) return
    expect(json.audio.max_audio_seconds).toBe(reserved)
    expect(json.credits).toEqual({
      unit: 'audio_second',
      reserved,
      remaining: (creditMs - reserved * 1000) / 1000,
    })
  })
})

describe('an idempotent request', () => {
  const key = { 'idempotency-key': 'order-1' }

  it('is answered again to the byte, with a new request id, until the session expires', async () => {
    const customer = await plane.customer()
    const first = await plane.post(customer, order, key)
    await plane.db.query('SELECT 1')
    wait(59.999)
    const again = await plane.post(customer, { ...order, max_audio_seconds: 60 }, key)
    expect(again.status).toBe(201)
    expect(again.text).toBe(first.text)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    wait(0.001)
    const fresh = await plane.post(customer, { ...order, max_audio_seconds: 7 }, key)
    expect(fresh).toMatchObject({ status: 201, json: { credits: { reserved: 7 } } })
    expect(fresh.json.id).not.toBe(first.json.id)
  })

  it('is answered again even when the session is open or over, and the balance has moved', async () => {
    const customer = await plane.customer()
    const first = await plane.post(customer, order, key)
    await finish(first.json.id, 16_000)
    expect((await plane.post(customer, order, key)).text).toBe(first.text)
  })

  it('of another account with the same key is its own', async () => {
    const [one, other] = await Promise.all([plane.customer(), plane.customer()])
    const first = await plane.post(one, order, key)
    const second = await plane.post(other, { ...order, max_audio_seconds: 9 }, key)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.json.id).not.toBe(first.json.id)
  })

  it('with another body is a conflict, and the session stays', async () => {
    const customer = await plane.customer()
    const first = await plane.post(customer, order, key)
    expect(await plane.post(customer, { model: DHOLUO }, key)).toMatchObject({ status: 409 })
    expect((await plane.post(customer, order, key)).text).toBe(first.text)
  })

  it('that was refused is not remembered', async () => {
    const customer = await plane.customer()
    const blocking = await plane.post(customer, order)
    expect(await plane.post(customer, order, key)).toMatchObject({ status: 429 })
    await finish(blocking.json.id, 0)
    expect(await plane.post(customer, { ...order, max_audio_seconds: 3 }, key)).toMatchObject({ status: 201 })
  })

  it('sent 50 times at the same moment makes one session and 50 equal answers', async () => {
    const customer = await plane.customer()
    await setConcurrencyLimit(plane.db, customer.accountId, 50)
    const answers = await Promise.all(Array.from({ length: 50 }, () => plane.post(customer, order, key)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]!.status).toBe(201)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(49)
    expect((await readUsage(customer)).recent_sessions).toHaveLength(1)
  })
})

describe('concurrency', () => {
  it('lets one of 30 requests at the same moment through, and as many as an operator allows', async () => {
    for (const limit of [1, 3]) {
      const customer = await plane.customer()
      await setConcurrencyLimit(plane.db, customer.accountId, limit)
      const answers = await Promise.all(Array.from({ length: 30 }, () => plane.post(customer, order)))
      const created = answers.filter(({ status }) => status === 201)
      const refused = answers.filter(({ json }) => json.error?.code === 'concurrency_limit_exceeded')
      expect([created.length, refused.length]).toEqual([limit, 30 - limit])
    }
  })

  it('says when a reservation expires, and 5 seconds when the session is open', async () => {
    const customer = await plane.customer()
    const { json } = await plane.post(customer, order)
    wait(18.5)
    expect((await plane.post(customer, order)).headers['retry-after']).toBe('42')
    await redeemSession(plane.db, { sessionId: json.id, nodeId: plane.nodeId, now: plane.now })
    expect((await plane.post(customer, order)).headers['retry-after']).toBe('5')
  })

  it('of the service tells those who come too many to come back one after the other', async () => {
    await plane.post(await plane.customer(), order)
    const { capacity } = plane.recogniser
    const open = await plane.db.query(
      `SELECT FROM sessions WHERE status = 'active' OR (status = 'reserved' AND expires_at > $1)`,
      [plane.now],
    )
    plane.recogniser.capacity = open.length
    plane.endedLastMinute = 30
    await plane.db.query('UPDATE nodes SET ended_last_minute = 30 WHERE id = $1', [plane.nodeId])
    const told: unknown[] = []
    for (let asked = 0; asked < 3; asked++)
      told.push((await plane.post(await plane.customer(), order)).headers['retry-after'])
    plane.recogniser.capacity = capacity
    plane.endedLastMinute = 0
    await plane.db.query('UPDATE nodes SET ended_last_minute = 0 WHERE id = $1', [plane.nodeId])
    expect(told).toEqual(['2', '4', '6'])
  })

  it('of the service that is held back tells those who come too many that it is a matter of seconds', async () => {
    // Those of the test before have come back by then.
    wait(60)
    await plane.post(await plane.customer(), order)
    const { capacity } = plane.recogniser
    const open = await plane.db.query(
      `SELECT FROM sessions WHERE status = 'active' OR (status = 'reserved' AND expires_at > $1)`,
      [plane.now],
    )
    plane.recogniser.heldBack = 4
    plane.recogniser.capacity = open.length + 4
    const answers = []
    for (let asked = 0; asked < 3; asked++) answers.push(await plane.post(await plane.customer(), order))
    Object.assign(plane.recogniser, { capacity, heldBack: 0 })
    expect(answers.map(({ status, json }) => [status, json.error.code])).toEqual(
      answers.map(() => [503, 'capacity_exceeded']),
    )
    expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(['3', '3', '6'])
  })

  it('is free the moment a reservation expires, before any sweep', async () => {
    const customer = await plane.customer({ creditMs: 60_000 })
    await plane.post(customer, order)
    wait(60)
    expect(await plane.post(customer, order)).toMatchObject({
      status: 201,
      json: { credits: { reserved: 60 } },
    })
  })
})

describe('usage', () => {
  it('shows credit moving from available to reserved to consumed and back', async () => {
    const customer = await plane.customer({ creditMs: 100_000 })
    const balance = async () => {
      const { available_ms, reserved_ms, consumed_ms, recent_sessions } = await readUsage(customer)
      return [available_ms, reserved_ms, consumed_ms, recent_sessions[0]?.status]
    }
    expect(await balance()).toEqual([100_000, 0, 0, undefined])
    const { json } = await plane.post(customer, order)
    expect(await balance()).toEqual([40_000, 60_000, 0, 'reserved'])
    await redeemSession(plane.db, { sessionId: json.id, nodeId: plane.nodeId, now: plane.now })
    expect(await balance()).toEqual([40_000, 60_000, 0, 'active'])
    wait(3)
    await settle(plane.db, {
      sessionId: json.id,
      ending: 'client_closed',
      acceptedSamples: 24_000,
      now: plane.now,
    })
    expect(await balance()).toEqual([98_000, 0, 2_000, 'completed'])
    expect(await readUsage(customer)).toEqual({
      object: 'credit_balance',
      unit: 'audio_millisecond',
      available_ms: 98_000,
      reserved_ms: 0,
      consumed_ms: 2_000,
      recent_sessions: [
        {
          id: json.id,
          model: KIKUYU,
          status: 'completed',
          audio_ms: 1500,
          billable_ms: 2000,
          created_at: new Date(plane.now.getTime() - 3000).toISOString(),
          completed_at: plane.now.toISOString(),
        },
      ],
    })
  })

  it('shows an expired reservation as expired at once, with its credit back', async () => {
    const customer = await plane.customer({ creditMs: 60_000 })
    await plane.post(customer, order)
    wait(60)
    const usage = await readUsage(customer)
    expect(usage).toMatchObject({
      available_ms: 60_000,
      reserved_ms: 0,
      recent_sessions: [{ status: 'expired', billable_ms: 0 }],
    })
  })

  it('lists the newest 20 sessions, newest first', async () => {
    const customer = await plane.customer()
    const ids: string[] = []
    for (let i = 0; i < 22; i++) {
      const { json } = await plane.post(customer, order)
      ids.unshift(json.id)
      await finish(json.id, 0)
      wait(1)
    }
    const { recent_sessions } = await readUsage(customer)
    expect(recent_sessions.map((session: { id: string }) => session.id)).toEqual(ids.slice(0, 20))
  })

  it("is of one's own account only", async () => {
    const [one, other] = await Promise.all([plane.customer(), plane.customer()])
    await plane.post(one, order)
    expect((await readUsage(other)).recent_sessions).toEqual([])
  })
})

describe('models', () => {
  it('are listed for everyone', async () => {
    const { status, json } = await plane.call('/v1/models')
    const audio = { encoding: 'pcm_s16le', sample_rate_hz: 16_000, channels: 1 }
    const model = { object: 'model', capability: 'asr.streaming', max_audio_seconds: 300, audio }
    expect(status).toBe(200)
    expect(json).toEqual({
      object: 'list',
      data: [
        { ...model, id: KIKUYU, language: 'Kikuyu', language_code: 'ki' },
        { ...model, id: DHOLUO, language: 'Dholuo', language_code: 'luo' },
      ],
    })
  })
})

describe('a request id', () => {
  it('is always ours', async () => {
    const mine = randomUUID()
    const answer: Answer = await plane.call('/v1/models', {
      headers: { 'x-request-id': mine, 'request-id': mine },
    })
    expect(answer.headers['x-request-id']).not.toBe(mine)
  })
})
