// Which methods an address takes, for requests that no route takes. The path of a request is never read as a pattern: it is
// compared, segment by segment, with the patterns of the routes.

import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export class KnownRoutes {
  /** Methods by the pattern of the route. */
  readonly #methods = new Map<string, Set<string>>()

  /** To be made before the first route. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ method, url }) => {
      const known = this.#methods.get(url) ?? new Set()
      for (const one of [method].flat()) known.add(one)
      this.#methods.set(url, known)
    })
  }

  /** Another method of a known address is 405 with Allow, anything else 404. No CORS: a preflight is one of the former. */
  refuse(request: FastifyRequest, reply: FastifyReply): ServiceError {
    const allowed = this.#allowedAt(request.url.split('?', 1)[0]!)
    if (allowed.length === 0) return new ServiceError('route_not_found')
    reply.header('allow', allowed.join(', '))
    return new ServiceError('method_not_allowed')
  }

  #allowedAt(path: string): string[] {
    const matching = [...this.#methods].filter(([pattern]) => matches(pattern, path))
    return [...new Set(matching.flatMap(([, methods]) => [...methods]))]
  }
}

function matches(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const expected = pattern.split('/')
  const given = path.split('/')
  const isSame = (part: string, at: number) => (part.startsWith(':') ? given[at] !== '' : part === given[at])
  return expected.length === given.length && expected.every(isSame)
}
