// Figures for Prometheus. They are served on a port of their own, so that they are never public by default.

import { createServer, type Server } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import type { HttpParts } from './parts.ts'
import { createRequestDurations, type Durations } from './request-durations.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What figures call the route instead of its pattern. */
    observedAs?: string
  }
}

/** All addresses that nobody serves. */
export const UNKNOWN_ROUTE = 'unknown'

/** Called when a request arrives; what it learns of it is told when the answer has ended. */
export type RequestObserver = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Makes the observer of a route: one histogram for all, and a log line for what changes something or is refused; what only reads
 * is a line for debugging. Routes are named by their pattern: a path may hold anything a client likes. Each route has an observer
 * of its own that remembers its labels, because finding them again for every request costs more than observing it.
 */
export function createRequestObservers({ metrics, log }: HttpParts): (route: string) => RequestObserver {
  const durations = createRequestDurations(metrics)
  return route => {
    const known = new Map<string, Durations>()
    function note({ id, method }: FastifyRequest, status: number, ms: number): void {
      const name = `${method} ${status}`
      let same = known.get(name)
      if (!same) {
        same = durations.of({ method, route, status })
        known.set(name, same)
      }
      same.observe(ms / 1000)
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
