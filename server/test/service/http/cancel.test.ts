import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { redeemSession } from '#server/sessions/redeem.js'
import { type Answer, bearer, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import type { Customer } from '../../support/service/customer.ts'

const plane = await openControlPlane()

const order = { model: KIKUYU, max_audio_seconds: 30 }

function cancel(customer: Customer, id: string): Promise<Answer> {
  return plane.call(`/v1/asr/sessions/${id}`, { method: 'DELETE', headers: bearer(customer) })
}

function redeem(sessionId: string) {
  return redeemSession(plane.db, { sessionId, nodeId: plane.nodeId, now: plane.now })
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    error => error.code,
  )
}

describe('cancelling a reservation', () => {
  it('returns its credit and its slot at once, and ends its credential', async () => {
    const customer = await plane.customer({ creditMs: 30_000 })
    const { json: session } = await plane.post(customer, order)
    expect((await plane.post(customer, order)).status).toBe(429)
    const answer = await cancel(customer, session.id)
    expect(answer).toMatchObject({
      status: 200,
      json: { id: session.id, status: 'expired', audio_ms: 0, billable_ms: 0 },
    })
    expect(await codeOf(redeem(session.id))).toBe('expired_credential')
    const usage = await plane.call('/v1/usage', { headers: bearer(customer) })
    expect(usage.json).toMatchObject({ available_ms: 30_000, reserved_ms: 0, consumed_ms: 0 })
    expect((await plane.post(customer, order)).status).toBe(201)
  })

  it('needs no body, also from a client that names a media type with every request', async () => {
    const customer = await plane.customer()
    const { json: session } = await plane.post(customer, order)
    const headers = { ...bearer(customer), 'content-type': 'application/json' }
    const answer = await plane.call(`/v1/asr/sessions/${session.id}`, { method: 'DELETE', headers })
    expect(answer).toMatchObject({ status: 200, json: { status: 'expired' } })
  })

  it('may be repeated, also after the reservation has expired by itself', async () => {
    const customer = await plane.customer()
    const { json: session } = await plane.post(customer, order)
    const first = await cancel(customer, session.id)
    expect((await cancel(customer, session.id.toUpperCase())).json).toEqual(first.json)
  })

  it('frees the idempotency key for a new reservation', async () => {
    const customer = await plane.customer()
    const key = { 'idempotency-key': 'again' }
    const { json: first } = await plane.post(customer, order, key)
    // A client that lost the answer asks again to learn the id.
    const { json: replayed } = await plane.post(customer, order, key)
    expect(replayed.id).toBe(first.id)
    await cancel(customer, replayed.id)
    const second = await plane.post(customer, order, key)
    expect(second.status).toBe(201)
    expect(second.headers['idempotent-replayed']).toBeUndefined()
    expect(second.json.id).not.toBe(first.id)
  })

  it('refuses a session that was opened, that is of somebody else, or that does not exist', async () => {
    const [owner, other] = [await plane.customer(), await plane.customer()]
    const { json: session } = await plane.post(owner, order)
    expect((await cancel(other, session.id)).json.error.code).toBe('session_not_found')
    for (const id of [randomUUID(), 'x', '%00', `${session.id}0`])
      expect((await cancel(owner, id)).json.error.code).toBe('session_not_found')
    await redeem(session.id)
    expect(await cancel(owner, session.id)).toMatchObject({
      status: 409,
      json: { error: { code: 'session_already_opened' } },
    })
    expect((await plane.call(`/v1/asr/sessions/${session.id}`, { method: 'DELETE' })).status).toBe(401)
  })

  it('and opening at the same moment: one of them wins', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const customer = await plane.customer()
      const { json: session } = await plane.post(customer, order)
      const [cancelled, opened] = await Promise.all([
        cancel(customer, session.id),
        codeOf(redeem(session.id)),
      ])
      expect([cancelled.status === 200, opened === 'done'].filter(Boolean)).toHaveLength(1)
    }
  })

  it('takes no other method', async () => {
    const answer = await plane.call(`/v1/asr/sessions/${randomUUID()}`)
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'DELETE' } })
  })
})
