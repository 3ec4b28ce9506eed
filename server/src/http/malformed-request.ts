// What is not even HTTP never reaches a route; it is answered here, on the bare socket, in the same form. So is what Node would answer by
// itself: its answers have no body and no request id.

import { randomUUID } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@sauti/protocol/errors'
import type { FastifyRequest } from 'fastify'
import { answerBareSocket } from '../network/bare-answer.ts'

const PLAIN_HTTP = 'This port takes HTTPS. Write https:// instead of http:// in the address.'
const TOO_LATE = 'The request did not arrive in time.'
const REASONS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: TOO_LATE,
}

/** What OpenSSL takes for HTTP, for a proxy's CONNECT, and, of a connection's first bytes, for nothing that it knows: DELETE, PATCH, OPTIONS. */
const NOT_ENCRYPTED = ['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_HTTPS_PROXY_REQUEST', 'ERR_SSL_WRONG_VERSION_NUMBER']

/** The answer that a connection waits for or gets. */
const answers = new WeakMap<Socket, ServerResponse>()

export function refuseMalformedRequest(error: Error & { code?: string }, socket: Socket): void {
  const bare = NOT_ENCRYPTED.includes(error.code ?? '') ? beneathTls(socket) : undefined
  // After the first bytes of the server it is TLS that went wrong.
  if (bare?.bytesWritten === 0) refuse(bare, PLAIN_HTTP)
  // Whoever waits for another answer would take this one for it.
  else if (error.code === 'ECONNRESET' || answers.has(socket)) socket.destroy()
  else refuse(socket, REASONS[error.code ?? ''] ?? 'The request is not valid HTTP.')
}

/** The one socket whose client can read an answer that is not encrypted. Where Node does not tell, there is no answer. */
function beneathTls(socket: Socket & { readonly _parent?: Socket }): Socket {
  return socket._parent ?? socket
}

/** The body did not arrive, unlike the headers. */
export function refuseLateRequest(socket: Socket): void {
  if (answers.get(socket)?.headersSent) socket.destroy()
  else refuse(socket, TOO_LATE)
}

function refuse(socket: Socket, message: string): void {
  if (!socket.writable) socket.destroy()
  else answerBareSocket(socket, new ServiceError('invalid_parameter', { message }), randomUUID())
}

export function answerInsteadOfNode(server: Server): void {
  server.on('request', ({ socket }, response) => {
    answers.set(socket, response)
    response.once('close', () => answers.get(socket) === response && answers.delete(socket))
  })
  // An expectation that is not known may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) =>
    answerBareSocket(socket, new ServiceError('method_not_allowed'), randomUUID()),
  )
}

/** HTTP/1.1 demands it. Node is told not to ask for it. */
export async function requireHost({ raw, headers }: FastifyRequest): Promise<void> {
  if (headers.host !== undefined || raw.httpVersion !== '1.1') return
  throw new ServiceError('invalid_parameter', { message: 'The request has no Host header.' })
}
