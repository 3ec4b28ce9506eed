import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createRequestDurations } from '#server/http/request-durations.js'

it('gives Prometheus one histogram of all requests with the same labels', async () => {
  const registry = new Registry()
  const durations = createRequestDurations(registry)
  const models = { method: 'GET', route: '/v1/models', status: 200 }
  durations.of(models).observe(0.001)
  durations.of({ ...models }).observe(0.3)
  durations.of(models).observe(7)
  durations.of({ ...models, status: 429 }).observe(0.002)
  const lines = (await registry.metrics()).split('\n')
  expect(lines.slice(0, 2)).toEqual([
    '# HELP sauti_http_request_duration_seconds Time from the arrival of a request to the end of its answer.',
    '# TYPE sauti_http_request_duration_seconds histogram',
  ])
  const ok = lines.filter(line => line.includes('status="200"')).map(line => line.split(' ')[1])
  expect(ok).toEqual(['1', '1', '1', '1', '1', '1', '1', '1', '2', '2', '2', '3', '7.301', '3'])
  expect(lines).toContain(
    'sauti_http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/v1/models",status="200"} 3',
  )
  expect(lines).toContain(
    'sauti_http_request_duration_seconds_count{method="GET",route="/v1/models",status="429"} 1',
  )
})
