// What an error means for a stream that it ends: the word that the client is told, and the ending that is settled.

import { ERRORS, type ErrorEntry, ServiceError } from '@sauti/protocol/errors'
import { ENDINGS, type StreamEnding } from '../sessions/lifecycle.ts'

/** Whatever has no close of its own is our fault, and its cause is for the log only. */
export function asFailure(error: unknown): ServiceError {
  const closes = error instanceof ServiceError && (ERRORS[error.code] as ErrorEntry).close !== undefined
  return closes ? error : new ServiceError('internal_error', { cause: error })
}

/** A bad credential is no ending: it opens no session, so there is nothing to settle by this word. */
export function endingOf({ code }: ServiceError): StreamEnding {
  return Object.hasOwn(ENDINGS, code) ? (code as StreamEnding) : 'internal_error'
}
