// Errors as OpenAI reports them: over HTTP and as an `error` event.

import {
  type CloseErrorCode,
  closeCode,
  type ErrorCode,
  httpAnswer,
  type OrderErrorCode,
  refusesOrder,
  type ServiceError,
} from '@sauti/protocol/errors'
import type { CloseFrame } from '../../dialect.ts'

const NORMAL_CLOSE = 1000

const SERVER_FAULTS: ReadonlySet<ErrorCode> = new Set([
  'internal_error',
  'engine_unavailable',
  'server_restarting',
])

export function openAiErrorBody(error: ServiceError, requestId: string): object {
  const { type, code } = httpAnswer(error.code)
  return { error: { message: error.message, type, param: null, code }, request_id: requestId }
}

/** The type of an error that is sent on the connection. */
export function errorType(code: ErrorCode): string {
  if (refusesOrder(code)) return httpAnswer(code).type
  return SERVER_FAULTS.has(code) ? 'server_error' : 'invalid_request_error'
}

export function openAiCloseFrame(code: CloseErrorCode | OrderErrorCode | undefined): CloseFrame {
  return code === undefined ? { code: NORMAL_CLOSE, reason: '' } : { code: closeCode(code), reason: code }
}
