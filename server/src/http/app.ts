// Step 1, REQUEST: the HTTP server with its routes. What holds for every request is here; each route has its own file.

import { MAX_BODY_BYTES } from '@sauti/protocol/http'
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify'
import { createErrorAnswer, type ErrorAnswer } from './answer-error.ts'
import { authenticateWith } from './api/authenticate.ts'
import { serveSessionCancellation } from './api/cancel-session.ts'
import { serveSessionCreation } from './api/create-session.ts'
import { serveModels } from './api/list-models.ts'
import { serveUsage } from './api/read-usage.ts'
import { serveStreamAddress } from './api/stream-address.ts'
import { ARRIVAL_MS, limitArrival, limitRest } from './arrival.ts'
import { readJsonBody } from './json-body.ts'
import { KnownRoutes } from './known-routes.ts'
import { answerInsteadOfNode, refuseMalformedRequest, requireHost } from './malformed-request.ts'
import { serveHealth } from './monitoring/health.ts'
import { observeRequests } from './monitoring/metrics.ts'
import { serveOpenApi } from './openapi/document.ts'
import type { HttpParts } from './parts.ts'
import { writeCommonHeaders } from './response-headers.ts'
import { serveSecurityTxt } from './security-txt.ts'
import { compileWhenNeeded } from './validation.ts'

/** For the TLS handshake alone. */
const TLS_TIMEOUT_MS = 10_000

/** Answers with a page where a person asked for one that does not exist; undefined for everybody else. */
export type NotFoundPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | undefined

export function buildApp(parts: HttpParts, notFoundPage?: NotFoundPage): FastifyInstance {
  const answerError = createErrorAnswer(parts.log)
  const app = createServer(parts, answerError, notFoundPage)
  const routes = new KnownRoutes(app)
  // Before anything that a route does, so that its refusals are observed and carry the headers, too.
  app.addHook('onRequest', async (request, reply) => void writeCommonHeaders(request, reply))
  observeRequests(app, parts)
  app.addHook('onRequest', requireHost)
  answerInsteadOfNode(app.server)
  limitArrival(app)
  limitRest(app, parts.rest)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJsonBody)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    const refusal = routes.refuse(request, reply)
    const page = refusal.code === 'route_not_found' ? notFoundPage?.(request, reply.code(404)) : undefined
    if (page === undefined) answerError(refusal, request, reply)
    return page
  })

  const authenticate = authenticateWith(parts)
  serveModels(app, parts)
  serveSessionCreation(app, parts, authenticate)
  serveSessionCancellation(app, parts, authenticate)
  serveUsage(app, parts, authenticate)
  serveStreamAddress(app)
  serveHealth(app, parts)
  serveOpenApi(app, parts)
  serveSecurityTxt(app, parts)
  return app
}

function createServer(
  { tls, newId }: HttpParts,
  answerError: ErrorAnswer,
  notFoundPage: NotFoundPage | undefined,
): FastifyInstance {
  const options: FastifyServerOptions = {
    // No log of Fastify's own: its lines hold addresses as they came, secrets included. Requests are logged by
    // observeRequests, and what goes wrong by the answer to an error.
    // Always our own id: a client's could be chosen to confuse a log.
    requestIdHeader: false,
    genReqId: () => newId(),
    bodyLimit: MAX_BODY_BYTES,
    // While draining the routes answer with their own codes.
    return503OnClosing: false,
    // Values are not coerced: "60" is not an integer, and an unknown property is an error.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    schemaController: { compilersFactory: { buildValidator: compileWhenNeeded() } },
    // An address that cannot even be decoded reaches no hook.
    frameworkErrors: (error, request, reply) => {
      const answer: FastifyReply = writeCommonHeaders(request, reply)
      const isAddress = error.code === 'FST_ERR_BAD_URL'
      const page = isAddress ? notFoundPage?.(request, answer.code(404)) : undefined
      if (page === undefined) answerError(error, request, answer)
    },
    clientErrorHandler: refuseMalformedRequest,
  }
  // Node's limit for a whole request would end uploads too; see limitArrival.
  const plain = { requestTimeout: 0, headersTimeout: ARRIVAL_MS, requireHostHeader: false }
  const transport = tls ? { https: { ...tls, ...plain, handshakeTimeout: TLS_TIMEOUT_MS } } : { http: plain }
  return fastify({ ...options, ...transport } as FastifyServerOptions)
}
