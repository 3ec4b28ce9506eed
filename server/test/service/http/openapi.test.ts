import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  bearer,
  type ControlPlane,
  KIKUYU,
  PUBLIC_URL,
  startControlPlane,
} from '../../support/service/control-plane.ts'

let plane: ControlPlane
// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
let api: any
beforeAll(async () => {
  plane = await startControlPlane({ usageReadsPerMinute: 1 })
  api = (await plane.call('/openapi.json')).json
})
afterAll(() => plane.close())

/** Compares a real answer with what the document says about it: known status, headers, body. */
function expectDocumented(answer: Answer, method: string, path: string): void {
  const documented = api.paths[path][method].responses[answer.status]
  expect(documented, `${method} ${path} ${answer.status}`).toBeDefined()
  for (const name of Object.keys(documented.headers ?? {})) {
    if (name !== 'Idempotent-Replayed') expect(answer.headers, name).toHaveProperty(name.toLowerCase())
  }
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(api, 'api')
  const { $ref } = documented.content['application/json'].schema
  const validate = ajv.compile({ $ref: `api${$ref}` })
  expect(validate(answer.json), JSON.stringify(validate.errors)).toBe(true)
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 and names this service', async () => {
    const validator = new Validator()
    expect(await validator.validate(structuredClone(api))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
    expect(api.info.version).toBe('1.0.0')
    expect(api.servers).toEqual([{ url: PUBLIC_URL }])
  })

  it('describes tuples the way 3.1 does', () => {
    const { websocket_protocols, audio } = api.components.schemas.AsrSession.properties
    expect(websocket_protocols).toMatchObject({ minItems: 2, maxItems: 2, items: false })
    expect(websocket_protocols.prefixItems).toHaveLength(2)
    expect(audio.properties.context_size.prefixItems).toMatchObject([{ const: 56 }, { const: 13 }])
  })

  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(api).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(match => match[1]!)
    for (const path of new Set(references)) {
      const target = path.split('/').reduce((node, key) => node?.[key], api)
      expect(target, path).toBeDefined()
    }
  })
})

describe('real answers are what the document says', () => {
  it('of models', async () => {
    expectDocumented(await plane.call('/v1/models'), 'get', '/v1/models')
  })

  it('of sessions, made and refused', async () => {
    const customer = await plane.customer()
    const order = { model: KIKUYU }
    const key = { 'idempotency-key': 'a' }
    const answers = [
      await plane.post(customer, order, key),
      await plane.post(customer, order, key),
      await plane.post(customer, { ...order, max_audio_seconds: 1 }, key),
      await plane.post(customer, order),
      await plane.post(customer, {}),
      await plane.post(customer, { model: 'x' }),
      await plane.post(customer, 'x'.repeat(20_000)),
      await plane.post(customer, order, { 'content-type': 'text/plain' }),
      await plane.post({ ...customer, key: 'x' }, order),
      await plane.post(await plane.customer({ creditMs: 1 }), order),
      await plane.post(await plane.customer({ models: [] }), order),
    ]
    plane.draining = true
    answers.push(await plane.post(await plane.customer(), order))
    plane.draining = false
    expect(answers.map(({ status }) => status)).toEqual([
      201, 201, 409, 429, 400, 404, 413, 415, 401, 402, 403, 503,
    ])
    for (const answer of answers) expectDocumented(answer, 'post', '/v1/asr/sessions')
  })

  it('of usage, read and refused', async () => {
    const customer = await plane.customer()
    await plane.post(customer, { model: KIKUYU })
    const headers = bearer(customer)
    for (const status of [200, 429]) {
      const answer = await plane.call('/v1/usage', { headers })
      expect(answer.status).toBe(status)
      expectDocumented(answer, 'get', '/v1/usage')
    }
    expectDocumented(await plane.call('/v1/usage'), 'get', '/v1/usage')
  })

  it('of the stream address without an upgrade, and of readiness', async () => {
    expectDocumented(await plane.call('/v1/asr/stream'), 'get', '/v1/asr/stream')
    plane.draining = true
    expectDocumented(await plane.call('/readyz'), 'get', '/readyz')
    plane.draining = false
  })
})
