import { randomUUID } from 'node:crypto'
import { type ConsoleErrorCode, ERRORS, type ErrorEntry, type HttpErrorCode } from '@sauti/protocol/errors'
import { describe, expect, it } from 'vitest'
import { setAccountActive } from '#server/accounts/accounts.js'
import { generateApiKey } from '#server/accounts/api-key.js'
import { revokeKey } from '#server/accounts/keys.js'
import { openPostgres } from '#server/db/postgres.js'
import { redeemSession } from '#server/sessions/redeem.js'
import { type Answer, bearer, DHOLUO, KIKUYU, openControlPlane } from '../../support/service/control-plane.ts'
import { encodeForm } from '../../support/service/forms.ts'
import { makeSilentWav, serveTestTranscriptions } from '../../support/service/transcriptions.ts'

const plane = await openControlPlane(
  { sessionCreationsPerMinute: 3 },
  {
    extend: (app, parts) => serveTestTranscriptions(app, parts, { fileMaxMs: 1_000, fileMaxBytes: 100_000 }),
  },
)

const order = { model: KIKUYU }

async function postFile(file: Buffer): Promise<Answer> {
  const { body, contentType } = await encodeForm({ model: KIKUYU, file })
  const headers = { ...bearer(await plane.customer()), 'content-type': contentType }
  return plane.call('/v1/audio/transcriptions', { method: 'POST', headers, body })
}

/** Makes every error of the table happen, each through the front door. */
type InterfaceErrorCode = Exclude<HttpErrorCode, ConsoleErrorCode>
const PROVOCATIONS: Record<InterfaceErrorCode, () => Promise<Answer>> = {
  invalid_json: async () => plane.post(await plane.customer(), '{"model":'),
  invalid_body: async () => plane.post(await plane.customer(), []),
  missing_parameter: async () => plane.post(await plane.customer(), {}),
  unknown_parameter: async () => plane.post(await plane.customer(), { ...order, speed: 2 }),
  invalid_parameter: async () => plane.post(await plane.customer(), { ...order, max_audio_seconds: 301 }),
  invalid_idempotency_key: async () =>
    plane.post(await plane.customer(), order, { 'idempotency-key': 'two words' }),
  unsupported_audio: () =>
    postFile(Buffer.from('this is no sound at all, but a text that somebody has sent')),
  undecodable_audio: () => postFile(makeSilentWav(0)),
  audio_too_long: () => postFile(makeSilentWav(40_000)),
  file_too_large: () => postFile(Buffer.alloc(100_001)),
  missing_api_key: () => plane.call('/v1/usage'),
  invalid_api_key: () => plane.call('/v1/usage', { headers: bearer({ key: generateApiKey() }) }),
  expired_api_key: async () => {
    const customer = await plane.customer({ expiresAt: plane.now })
    return plane.post(customer, order)
  },
  revoked_api_key: async () => {
    const customer = await plane.customer()
    await revokeKey(plane.db, customer.keyId, plane.now)
    return plane.post(customer, order)
  },
  insufficient_credits: async () => plane.post(await plane.customer({ creditMs: 999 }), order),
  account_inactive: async () => {
    const customer = await plane.customer()
    await setAccountActive(plane.db, customer.accountId, false)
    return plane.post(customer, order)
  },
  address_not_allowed: async () =>
    plane.post(await plane.customer({ allowedAddresses: ['192.0.2.0/24'] }), order),
  key_limit_reached: async () => {
    const customer = await plane.customer({ monthlyLimitMs: 60_000, concurrency: 2 })
    await plane.post(customer, order)
    return plane.post(customer, order)
  },
  model_not_allowed: async () => plane.post(await plane.customer({ models: [DHOLUO] }), order),
  model_not_found: async () => plane.post(await plane.customer(), { model: 'svc-asr-kikuyu-v2' }),
  session_not_found: async () =>
    plane.call(`/v1/asr/sessions/${randomUUID()}`, {
      method: 'DELETE',
      headers: bearer(await plane.customer()),
    }),
  session_already_opened: async () => {
    const customer = await plane.customer()
    const { json } = await plane.post(customer, order)
    await redeemSession(plane.db, { sessionId: json.id, nodeId: plane.nodeId, now: plane.now })
    return plane.call(`/v1/asr/sessions/${json.id}`, { method: 'DELETE', headers: bearer(customer) })
  },
  route_not_found: () => plane.call('/v2/models'),
  method_not_allowed: () => plane.call('/v1/asr/sessions', { method: 'DELETE' }),
  idempotency_conflict: async () => {
    const customer = await plane.customer()
    await plane.post(customer, order, { 'idempotency-key': 'once' })
    return plane.post(customer, { ...order, max_audio_seconds: 61 }, { 'idempotency-key': 'once' })
  },
  request_too_large: async () => plane.post(await plane.customer(), 'x'.repeat(16 * 1024 + 1)),
  unsupported_media_type: async () =>
    plane.post(await plane.customer(), order, { 'content-type': 'text/plain' }),
  concurrency_limit_exceeded: async () => {
    const customer = await plane.customer()
    await plane.post(customer, order)
    return plane.post(customer, order)
  },
  request_rate_exceeded: async () => {
    const customer = await plane.customer()
    for (let i = 0; i < 3; i++) await plane.post(customer, order)
    return plane.post(customer, order)
  },
  service_unavailable: () => withFault(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })),
  internal_error: () => withFault(new Error('secret cause')),
  engine_unavailable: async () => {
    const customer = await plane.customer()
    plane.recogniser.models = [KIKUYU]
    return plane.post(customer, { model: DHOLUO }).finally(() => plane.recogniser.models.push(DHOLUO))
  },
  capacity_exceeded: async () => {
    const { capacity } = plane.recogniser
    await plane.post(await plane.customer(), order)
    const customer = await plane.customer()
    plane.recogniser.capacity = 1
    return plane.post(customer, order).finally(() => {
      plane.recogniser.capacity = capacity
    })
  },
  server_draining: async () => {
    const customer = await plane.customer()
    plane.draining = true
    return plane.post(customer, order).finally(() => {
      plane.draining = false
    })
  },
  invalid_credential: () => plane.call('/v1/asr/stream'),
}

async function withFault(fault: Error): Promise<Answer> {
  const customer = await plane.customer()
  plane.databaseFault = fault
  return plane.post(customer, order).finally(() => {
    plane.databaseFault = undefined
  })
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('every error of the table', () => {
  const codes = Object.entries<ErrorEntry>(ERRORS).filter(([, entry]) => entry.http && !entry.console)

  it('is provoked here', () => {
    expect(Object.keys(PROVOCATIONS).sort()).toEqual(codes.map(([code]) => code).sort())
  })

  it.each(codes)('%s has its status, type, body and headers', async (code, { http }) => {
    const { status, headers, json } = await PROVOCATIONS[code as InterfaceErrorCode]()
    expect({ status, code: json.error.code, type: json.error.type }).toEqual({
      status: http!.status,
      code,
      type: http!.type,
    })
    expect(Object.keys(json)).toEqual(['error'])
    expect(Object.keys(json.error).sort()).toEqual(['code', 'message', 'request_id', 'type'])
    expect(json.error.message).toMatch(/^.+\.$/)
    expect(json.error.request_id).toMatch(UUID)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': json.error.request_id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
    expect(headers['retry-after'] !== undefined).toBe(status === 429 || status === 503)
    if (status === 429 || status === 503) expect(headers['retry-after']).toMatch(/^\d+$/)
    expect(headers.allow).toBe(status === 405 ? 'POST' : undefined)
  })

  it('keeps the cause of our own fault in the log, under the request id, and out of the answer', async () => {
    const { text, json } = await PROVOCATIONS.internal_error()
    expect(text).not.toContain('secret cause')
    const line = plane.logLines.find(
      one => one.includes(json.error.request_id) && one.includes('secret cause'),
    )
    expect(JSON.parse(line!)).toMatchObject({ code: 'internal_error' })
  })
})

describe('a database that is unreachable', () => {
  it('is distinguished from a wrong statement', async () => {
    const nobody = openPostgres({
      connection: 'postgres://postgres@127.0.0.1:1/none',
      poolSize: 1,
      onConnectionLost: () => undefined,
    })
    plane.databaseFault = await nobody.query('SELECT 1').then(
      () => undefined,
      (error: Error) => error,
    )
    await nobody.close()
    const answer = await plane.call('/v1/usage', { headers: bearer({ key: generateApiKey() }) })
    const ready = await plane.call('/readyz')
    plane.databaseFault = undefined
    expect(answer.json.error.code).toBe('service_unavailable')
    expect(ready).toMatchObject({ status: 503, json: { error: { code: 'service_unavailable' } } })
  })
})
