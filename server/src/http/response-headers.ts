// Headers that every answer carries. Nothing here is meant for a frame, a cache or another origin; no CORS header is ever sent.

import type { FastifyReply, FastifyRequest } from 'fastify'

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
const HSTS = `max-age=${365 * 24 * 3600}`
// A browser would keep it for every other server on the developer's machine.
const LOOPBACK = /^(localhost|127\.|\[::1\])/

export function writeCommonHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(COMMON_HEADERS).header('x-request-id', request.id)
  return LOOPBACK.test(request.host) ? reply : reply.header('strict-transport-security', HSTS)
}
