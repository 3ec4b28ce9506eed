// Figures for Prometheus. They are served on a port of their own, so that they are never public by default.

import { createServer, type Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { HttpParts } from '../parts.ts'

/** All addresses without a route. */
const UNKNOWN_ROUTE = 'unknown'

/**
 * One histogram for all requests, and a log line for each that changes something or is refused; requests that only read are
 * logged at the level debug. Routes are named by their pattern: a path may hold anything a client likes.
 */
export function observeRequests(app: FastifyInstance, { metrics, log }: HttpParts): void {
  const durations = new Histogram({
    name: 'sauti_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [metrics],
  })
  app.addHook('onResponse', async ({ id, method, routeOptions }, { statusCode: status, elapsedTime: ms }) => {
    const route = routeOptions.url ?? UNKNOWN_ROUTE
    durations.observe({ method, route, status }, ms / 1000)
    const isReading = method === 'GET' || method === 'HEAD'
    const level = isReading && status < 400 ? 'debug' : 'info'
    log[level]({ reqId: id, method, route, status, ms: Math.round(ms) }, 'request')
  })
}

export function countSessionOutcomes(metrics: Registry): (outcome: string) => void {
  const outcomes = new Counter({
    name: 'sauti_session_requests_total',
    help: 'Session creations by outcome: reserved, replayed, or the code of the refusal.',
    labelNames: ['outcome'],
    registers: [metrics],
  })
  return outcome => outcomes.inc({ outcome })
}

export function createMetricsServer(metrics: Registry): Server {
  return createServer(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    response.setHeader('content-type', metrics.contentType)
    response.end(await metrics.metrics())
  })
}
