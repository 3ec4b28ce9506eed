// Step 1, REQUEST: the HTTP server with its routes. What holds for every request stands here; each route has its own file.

import { MAX_BODY_BYTES } from '@sauti/protocol/http'
import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify'
import { createErrorAnswer, type ErrorAnswer, refuseUnknownRoute } from './answer-error.ts'
import { serveSessionCreation } from './create-session.ts'
import { serveHealth } from './health.ts'
import { readJsonBody } from './json-body.ts'
import { serveModels } from './list-models.ts'
import { refuseMalformedRequest } from './malformed-request.ts'
import { observeRequests } from './metrics.ts'
import { serveOpenApi } from './openapi.ts'
import type { HttpParts } from './parts.ts'
import { serveUsage } from './read-usage.ts'
import { writeCommonHeaders, writeHeadersOfRoutes } from './response-headers.ts'
import { serveStreamAddress } from './stream-address.ts'

/** Headers and body must arrive within this time, or a slow sender could hold connections for nothing. */
const REQUEST_TIMEOUT_MS = 30_000

export function buildApp(parts: HttpParts): FastifyInstance {
  const answerError = createErrorAnswer(parts.log)
  const app = createServer(parts, answerError)
  writeHeadersOfRoutes(app)
  const observeUnknown = observeRequests(app, parts)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJsonBody)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    writeCommonHeaders(request, reply)
    answerError(refuseUnknownRoute(request, reply), request, reply)
    observeUnknown(request, reply)
  })

  serveModels(app, parts)
  serveSessionCreation(app, parts)
  serveUsage(app, parts)
  serveStreamAddress(app)
  serveHealth(app, parts)
  serveOpenApi(app, parts)
  return app
}

function createServer({ settings, tls, newId }: HttpParts, answerError: ErrorAnswer): FastifyInstance {
  const options: FastifyServerOptions = {
    // No log: a child logger a request costs more than the line that observeRequests writes, and Fastify's own lines hold
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
