// An upgrade request that is refused gets an HTTP answer in the form of all others (spec 2.6), written by hand: the HTTP library
// has let go of the socket by then.

import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { httpAnswer, type ServiceError } from '@sauti/protocol/errors'
import type { ErrorBody } from '@sauti/protocol/http'

const DEFAULT_RETRY_SECONDS = 5
/** For the client to take the answer and close; a reset sooner than that could overtake the answer. */
const LINGER_MS = 2_000

export function refuseUpgrade(socket: Duplex, error: ServiceError, requestId: string): void {
  const { status, type, code } = httpAnswer(error.code)
  const answer: ErrorBody = { error: { type, code, message: error.message, request_id: requestId } }
  const body = JSON.stringify(answer)
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
  destroyLater(socket)
}

function extraHeaders(status: number, error: ServiceError): string[] {
  if (status === 401) return ['WWW-Authenticate: Bearer']
  if (status === 405) return ['Allow: GET']
  if (status === 429 || status === 503)
    return [`Retry-After: ${error.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS}`]
  return []
}

function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroy())
  socket.resume()
}
