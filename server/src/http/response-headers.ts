// Headers that every answer carries. Nothing here is meant for a frame, a cache or another origin; no CORS header is ever sent.

import type { FastifyReply, FastifyRequest } from 'fastify'

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
const HSTS_SECONDS = 365 * 24 * 3600
// A browser would keep it for every other server on the developer's machine.
const LOOPBACK = /^(localhost|127\.|\[::1\])/

/** Names and values in turn, as Node writes them without a detour; a route that uses it adds x-request-id and HSTS. */
export const COMMON_HEADER_LIST: readonly string[] = Object.entries(COMMON_HEADERS).flat()
export const HSTS = ['strict-transport-security', `max-age=${HSTS_SECONDS}`] as const

export function writeCommonHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(COMMON_HEADERS).header('x-request-id', request.id)
  return isLoopback(request) ? reply : reply.header(...HSTS)
}

/** Where HSTS is left out. */
export function isLoopback(request: FastifyRequest): boolean {
  return LOOPBACK.test(request.host)
}
