// The one place where an error becomes an HTTP answer (spec 2.6 and 7).

import { httpAnswer, ServiceError } from '@sauti/protocol/errors'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseOutage } from '../db/outage.ts'
import { DEFAULT_RETRY_SECONDS, errorBody } from '../network/bare-answer.ts'
import { describeInvalidBody } from './json-body.ts'

export type ErrorAnswer = (thrown: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => void

/** The body, where a foreign interface has its own form. */
type ErrorDescription = (error: ServiceError, requestId: string) => object

/** Makes the answer to an error; what is our own fault is logged, with its cause. */
export function createErrorAnswer(
  log: FastifyBaseLogger,
  describe: ErrorDescription = errorBody,
): ErrorAnswer {
  return function answerError(thrown, request, reply) {
    const error = toServiceError(thrown)
    const { status, code } = httpAnswer(error.code)
    if (code === 'internal_error' || code === 'service_unavailable') {
      log.error({ reqId: request.id, code, err: thrown }, 'request failed')
    }
    if (status === 401) reply.header('www-authenticate', 'Bearer')
    if (status === 429 || status === 503) {
      reply.header('retry-after', String(error.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS))
    }
    reply.header('x-request-id', request.id).header('cache-control', 'no-store')
    reply.code(status).send(describe(error, request.id))
  }
}

function toServiceError(thrown: FastifyError | Error): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if ('validation' in thrown && thrown.validation?.[0]) return describeInvalidBody(thrown.validation[0])
  if (isDatabaseOutage(thrown)) return new ServiceError('service_unavailable', { cause: thrown })
  switch ((thrown as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('request_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ServiceError('invalid_body', {
        message: 'The request body is shorter than its Content-Length.',
      })
    case 'FST_ERR_BAD_URL':
      return new ServiceError('route_not_found')
    default:
      return new ServiceError('internal_error', { cause: thrown })
  }
}
