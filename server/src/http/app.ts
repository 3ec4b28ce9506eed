// Step 1, REQUEST: the HTTP server with its routes. What holds for every request stands here; each route has its own file.

import { MAX_BODY_BYTES } from '@sauti/protocol/http'
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify'
import { createErrorAnswer, type ErrorAnswer, refuseUnknownRoute } from './answer-error.ts'
import { serveSessionCreation } from './create-session.ts'
import { serveHealth } from './health.ts'
import { readJsonBody } from './json-body.ts'
import { serveModels } from './list-models.ts'
import { refuseMalformedRequest } from './malformed-request.ts'
import { createRequestObservers, type RequestObserver, UNKNOWN_ROUTE } from './metrics.ts'
import { serveOpenApi } from './openapi.ts'
import type { HttpParts } from './parts.ts'
import { serveUsage } from './read-usage.ts'
import { writeCommonHeaders } from './response-headers.ts'
import { serveStreamAddress } from './stream-address.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route does itself, for less, what is else done at the beginning of every request. */
    beginsItself?: true
  }
}

/** Headers and body must arrive within this time, or a slow sender could hold connections for nothing. */
const REQUEST_TIMEOUT_MS = 30_000

export function buildApp(parts: HttpParts): FastifyInstance {
  const answerError = createErrorAnswer(parts.log)
  const app = createServer(parts, answerError)
  const observerOf = createRequestObservers(parts)
  beginEveryRequest(app, observerOf)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJsonBody)
  app.setErrorHandler(answerError)
  const observeUnknown = observerOf(UNKNOWN_ROUTE)
  app.setNotFoundHandler((request, reply) => {
    observeUnknown(request, reply)
    writeCommonHeaders(request, reply)
    answerError(refuseUnknownRoute(request, reply), request, reply)
  })

  serveModels(app, parts, observerOf)
  serveSessionCreation(app, parts)
  serveUsage(app, parts)
  serveStreamAddress(app)
  serveHealth(app, parts)
  serveOpenApi(app, parts)
  return app
}

/** Before anything else a route does, so that its refusals are observed and carry the headers, too. */
function beginEveryRequest(app: FastifyInstance, observerOf: (route: string) => RequestObserver): void {
  app.addHook('onRoute', route => {
    if (route.config?.beginsItself) return
    const observe = observerOf(route.config?.observedAs ?? route.url)
    const begin = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      observe(request, reply)
      writeCommonHeaders(request, reply)
      done()
    }
    route.onRequest = [begin, ...[route.onRequest ?? []].flat()]
  })
}

function createServer({ settings, tls, newId }: HttpParts, answerError: ErrorAnswer): FastifyInstance {
  const options: FastifyServerOptions = {
    // No log: a child logger a request costs more than the line that its observer writes, and Fastify's own lines hold
    // addresses as they came, secrets included. What goes wrong is logged by the answer to an error.
    // Always our own id: a client's could be chosen to confuse a log.
    requestIdHeader: false,
    genReqId: () => newId(),
    trustProxy: settings.trustedProxies ? [...settings.trustedProxies] : false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // While draining the routes answer with their own codes.
    return503OnClosing: false,
    // Nothing is repaired: "60" is no integer and an unknown property is an error.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    // An address that cannot even be decoded reaches no hook.
    frameworkErrors: (error, request, reply) =>
      answerError(error, request, writeCommonHeaders(request, reply)),
    clientErrorHandler: refuseMalformedRequest,
  }
  const server = { ...options, https: tls ?? null } as FastifyServerOptions
  return fastify(server)
}
