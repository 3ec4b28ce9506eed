// CSRF: what changes something must come from our own pages. Browsers write Origin on every such request and pages cannot
// forge it; cookies are SameSite=Lax besides, and only JSON is taken, which a foreign form cannot send.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyRequest } from 'fastify'

export function requireOwnOrigin(publicUrl: () => string) {
  return async function checkOrigin({ method, headers, host }: FastifyRequest): Promise<void> {
    if (method === 'GET' || method === 'HEAD') return
    const origin = headers.origin ?? ''
    if (origin !== publicUrl() && origin !== `https://${host}`) throw new ServiceError('foreign_origin')
  }
}
