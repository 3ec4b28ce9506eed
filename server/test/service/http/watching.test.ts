// Monitoring: health, readiness, metrics, and headers that keep browsers safe.

import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../../support/service/control-plane.ts'
import { ask } from '../../support/service/https.ts'
import { startTestService, type TestService } from '../../support/service/service.ts'

let plane: ControlPlane
let service: TestService
beforeAll(async () => {
  plane = await startControlPlane()
  service = await startTestService()
})
afterAll(async () => {
  await plane.close()
  await service.stop()
})

describe('health', () => {
  it('is alive whatever happens, and ready only when a session could be taken', async () => {
    const state = async () => [
      (await plane.call('/healthz')).status,
      (await plane.call('/readyz')).json.error?.code ?? 'ready',
    ]
    expect(await state()).toEqual([200, 'ready'])
    plane.draining = true
    expect(await state()).toEqual([200, 'server_draining'])
    plane.draining = false
    plane.recogniser.capacity = 0
    expect(await state()).toEqual([200, 'engine_unavailable'])
    plane.recogniser.capacity = 1000
    plane.databaseFault = Object.assign(new Error('away'), { code: '57P03' })
    expect(await state()).toEqual([200, 'service_unavailable'])
    plane.databaseFault = undefined
    expect(await state()).toEqual([200, 'ready'])
  })
})

describe('metrics', () => {
  const readMetrics = (path: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port: service.metricsPort, path }, incoming => {
        let text = ''
        incoming.on('data', chunk => {
          text += chunk
        })
        incoming.on('end', () => resolve({ status: incoming.statusCode!, text }))
      })
      outgoing.on('error', reject)
      outgoing.end()
    })

  it('are on a port of their own, and never on the public one', async () => {
    const { agent, baseUrl } = service
    await ask(`${baseUrl}/v1/models`, { agent })
    expect((await ask(`${baseUrl}/metrics`, { agent })).status).toBe(404)
    const { status, text } = await readMetrics('/metrics')
    expect(status).toBe(200)
    expect(text).toMatch(
      /^sauti_http_request_duration_seconds_count\{method="GET",route="\/v1\/models",status="200"\} 1$/m,
    )
    expect(text).toContain('nodejs_eventloop_lag_seconds')
    expect((await readMetrics('/')).status).toBe(404)
  })

  it('name a request by its route, so that nobody can make up names', async () => {
    const { agent, baseUrl } = service
    await ask(`${baseUrl}/made-up-name`, { agent })
    const { text } = await readMetrics('/metrics')
    expect(text).not.toContain('made-up-name')
    expect(text).toContain('route="unknown",status="404"')
  })
})

describe('headers', () => {
  it.each(['/v1/models', '/v1/usage', '/healthz', '/nowhere', '/%zz', '/openapi.json'])(
    'of %s keep browsers safe',
    async path => {
      const { headers } = await plane.call(path, {
        headers: { host: 'sauti.test', origin: 'https://evil.test' },
      })
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
      })
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  it('do not force https on a developer’s own machine', async () => {
    for (const host of ['localhost:8443', '127.0.0.1:8443', '[::1]:8443']) {
      const { headers } = await plane.call('/v1/models', { headers: { host } })
      expect(headers['strict-transport-security']).toBeUndefined()
    }
  })
})
