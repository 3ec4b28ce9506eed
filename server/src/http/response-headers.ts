// Headers that every answer carries. Nothing here is meant for a frame, a cache or another origin; no CORS header is ever sent.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's answer goes straight to the socket, with listCommonHeaders among its headers. */
    writesOwnHeaders?: true
  }
}

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
const HSTS_SECONDS = 365 * 24 * 3600
// A browser would keep it for every other server on the developer's machine.
const LOOPBACK = /^(localhost|127\.|\[::1\])/

const COMMON_HEADER_LIST = Object.entries(COMMON_HEADERS).flat()
const HSTS = ['strict-transport-security', `max-age=${HSTS_SECONDS}`] as const

/** Before anything else a route does, so that its refusals carry them, too. */
export function writeHeadersOfRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', route => {
    if (route.config?.writesOwnHeaders) return
    const write = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      writeCommonHeaders(request, reply)
      done()
    }
    route.onRequest = [write, ...[route.onRequest ?? []].flat()]
  })
}

export function writeCommonHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(COMMON_HEADERS).header('x-request-id', request.id)
  return isLoopback(request) ? reply : reply.header(...HSTS)
}

/** Names and values in turn, as Node writes them without a detour. */
export function listCommonHeaders(request: FastifyRequest): string[] {
  const list = [...COMMON_HEADER_LIST, 'x-request-id', request.id]
  return isLoopback(request) ? list : [...list, ...HSTS]
}

function isLoopback(request: FastifyRequest): boolean {
  return LOOPBACK.test(request.host)
}
