// What is not even HTTP never reaches a route; it is answered here, on the bare socket, in the same form.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { ServiceError } from '@sauti/protocol/errors'
import { answerBareSocket } from '../network/bare-answer.ts'

const REASONS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

export function refuseMalformedRequest(error: Error & { code?: string }, socket: Socket): void {
  // Nobody is there to read an answer, or one is already under way.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy()
    return
  }
  const message = REASONS[error.code ?? ''] ?? 'The request is not valid HTTP.'
  answerBareSocket(socket, new ServiceError('invalid_parameter', { message }), randomUUID())
}
