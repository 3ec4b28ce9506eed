// An error answered on the bare socket, in the form of all others (spec 2.6), where the HTTP library no longer handles it: what is
// not HTTP at all, and upgrade requests that are refused.

import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { httpAnswer, type ServiceError } from '@sauti/protocol/errors'
import type { ErrorBody } from '@sauti/protocol/http'

export const DEFAULT_RETRY_SECONDS = 5

/** For the client to take the answer and close; a reset sooner than that could overtake the answer. */
const LINGER_MS = 2_000

export function errorBody(error: ServiceError, requestId: string): ErrorBody {
  const { type, code } = httpAnswer(error.code)
  return { error: { type, code, message: error.message, request_id: requestId } }
}

/** `describe` makes the body, where a foreign protocol has its own form. */
export function answerBareSocket(
  socket: Duplex,
  error: ServiceError,
  requestId: string,
  describe: (error: ServiceError, requestId: string) => object = errorBody,
): void {
  const { status } = httpAnswer(error.code)
  const body = JSON.stringify(describe(error, requestId))
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    ...extraHeaders(status, error),
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
  hangUp(socket)
}

function extraHeaders(status: number, error: ServiceError): string[] {
  if (status === 401) return ['WWW-Authenticate: Bearer']
  if (status === 405) return ['Allow: GET']
  if (status === 429 || status === 503)
    return [`Retry-After: ${error.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS}`]
  return []
}

/** Nobody reads this socket any more, so its end would go unseen: read it to the end, and not for ever. */
function hangUp(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.resume()
}
