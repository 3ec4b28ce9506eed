// Figures for Prometheus. They are served on a port of their own, so that they are never public by default.

import { createServer, type Server } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
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

/** Called when a request arrives; what it learns of it is told when the answer has ended. */
export type RequestObserver = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Makes the observer of a route: one histogram for all, and a log line for what changes something or is refused; what only reads
 * is a line for debugging. Routes are named by their pattern: a path may hold anything a client likes. Each route has an observer
 * of its own that remembers its labels, because finding them again for every request costs more than observing it.
 */
export function createRequestObservers({ metrics, log }: HttpParts): (route: string) => RequestObserver {
  const histogram = createRequestHistogram(metrics)
  return route => {
    const known = new Map<string, Histogram.Internal<string>>()
    function note({ id, method }: FastifyRequest, status: number, ms: number): void {
      const name = `${method} ${status}`
      let child = known.get(name)
      if (!child) {
        child = histogram.labels(method, route, String(status))
        known.set(name, child)
      }
      child.observe(ms / 1000)
      const isReading = method === 'GET' || method === 'HEAD'
      const level = isReading && status < 400 ? 'debug' : 'info'
      log[level]({ reqId: id, method, route, status, ms: Math.round(ms) }, 'request')
    }
    return (request, { raw }) => {
      const arrivedAtMs = performance.now()
      // A listener, because the framework's own hook for this costs a twentieth of the quickest request.
      raw.on('finish', () => note(request, raw.statusCode, performance.now() - arrivedAtMs))
    }
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
