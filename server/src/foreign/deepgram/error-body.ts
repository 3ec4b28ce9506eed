// Errors as Deepgram reports them over HTTP: `err_code` and `err_msg`.

import { httpAnswer, type ServiceError } from '@sauti/protocol/errors'

const ERR_CODES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'INVALID_AUTH',
  402: 'ASR_PAYMENT_REQUIRED',
  403: 'INSUFFICIENT_PERMISSIONS',
  404: 'MODEL_NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
}

export function deepgramErrorBody(error: ServiceError, requestId: string): object {
  const { status } = httpAnswer(error.code)
  const err_msg =
    error.code === 'missing_api_key' ? 'Send an API key as "Authorization: Token <key>".' : error.message
  return { err_code: ERR_CODES[status] ?? 'Bad Request', err_msg, request_id: requestId }
}
