// Figures for Prometheus. They are served on a port of their own, so that they are never public by default.

import { createServer, type Server } from 'node:http'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onResponseHookHandler,
} from 'fastify'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { HttpParts } from './parts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What figures call the route instead of its pattern. */
    observedAs?: string
  }
}

/** All addresses that nobody serves. */
export const UNKNOWN_ROUTE = 'unknown'

const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/**
 * Observes every request: one histogram, and a log line for what changes something or is refused; what only reads is a line for
 * debugging. Routes are named by their pattern: a path may hold anything a client likes. Each route gets a hook of its own that
 * knows it, because finding route and labels again for every request costs more than observing it.
 */
export function observeRequests(app: FastifyInstance, parts: HttpParts): RequestObserver {
  const histogram = createRequestHistogram(parts.metrics)
  app.addHook('onRoute', route => {
    const methods = [route.method].flat()
    const name = route.config?.observedAs ?? route.url
    const observers = new Map(
      methods.map(method => [method, observeRoute(histogram, parts.log, method, name)]),
    )
    const observe: onResponseHookHandler = (request, reply, done) => {
      observers.get(request.method)?.(request, reply)
      done()
    }
    route.onResponse = [observe, ...[route.onResponse ?? []].flat()]
  })
  return (request, reply) => observeRoute(histogram, parts.log, request.method, UNKNOWN_ROUTE)(request, reply)
}

export type RequestObserver = (request: FastifyRequest, reply: FastifyReply) => void

function observeRoute(
  histogram: Histogram,
  log: FastifyBaseLogger,
  method: string,
  route: string,
): RequestObserver {
  const isReading = method === 'GET' || method === 'HEAD'
  const byStatus = new Map<number, Histogram.Internal<string>>()
  return (request, reply) => {
    const status = reply.statusCode
    let child = byStatus.get(status)
    if (!child) {
      child = histogram.labels(method, route, String(status))
      byStatus.set(status, child)
    }
    const { elapsedTime } = reply
    child.observe(elapsedTime / 1000)
    const level = isReading && status < 400 ? 'debug' : 'info'
    log[level]({ reqId: request.id, method, route, status, ms: Math.round(elapsedTime) }, 'request')
  }
}

function createRequestHistogram(metrics: Registry): Histogram {
  return new Histogram({
    name: 'sauti_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS_BUCKETS,
    registers: [metrics],
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
