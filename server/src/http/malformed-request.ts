// What is not even HTTP never reaches a route; it is answered here, on the bare socket, in the same form.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { httpAnswer, ServiceError } from '@sauti/protocol/errors'
import { errorBody } from './answer-error.ts'

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
  const requestId = randomUUID()
  const message = REASONS[error.code ?? ''] ?? 'The request is not valid HTTP.'
  const refusal = new ServiceError('invalid_parameter', { message })
  const body = JSON.stringify(errorBody(refusal, requestId))
  const head = [
    `HTTP/1.1 ${httpAnswer(refusal.code).status} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
