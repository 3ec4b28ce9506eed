// Headers and body must arrive in time, or a slow sender could hold connections open at no cost. Node limits the headers; we limit the body,
// because a route that takes files lets them come in as slowly as the network is.

import type { FastifyInstance } from 'fastify'
import { refuseMalformedRequest } from './malformed-request.ts'

export const ARRIVAL_MS = 30_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route watches over the arrival of its body itself. */
    watchesArrival?: true
  }
}

export function limitArrival(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw, headers, routeOptions }) => {
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (!hasBody || routeOptions.config?.watchesArrival) return
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    const timer = setTimeout(() => refuseMalformedRequest(late, raw.socket), ARRIVAL_MS)
    const stop = () => clearTimeout(timer)
    raw.once('end', stop).once('close', stop)
  })
}
