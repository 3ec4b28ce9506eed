// What an error means for a stream that it ends: the code that the client gets, and the ending that is settled.

import {
  type CloseErrorCode,
  endsStream,
  type OrderErrorCode,
  refusesOrder,
  ServiceError,
} from '@sauti/protocol/errors'
import { ENDINGS, type StreamEnding } from '../sessions/lifecycle.ts'

/** An error that ends a stream. */
export interface Failure {
  readonly code: CloseErrorCode | OrderErrorCode
  readonly message: string
  /** For the log only. */
  readonly cause: unknown
}

/** Whatever has no close of its own is our fault. */
export function asFailure(error: unknown): Failure {
  if (!(error instanceof ServiceError) || !(endsStream(error.code) || refusesOrder(error.code))) {
    return { code: 'internal_error', message: new ServiceError('internal_error').message, cause: error }
  }
  return { code: error.code, message: error.message, cause: error.cause }
}

/** A bad credential is not an ending: it opens no session, so there is nothing to settle by this word. */
export function endingOf({ code }: Failure): StreamEnding {
  return Object.hasOwn(ENDINGS, code) ? (code as StreamEnding) : 'internal_error'
}
