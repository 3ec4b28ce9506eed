// Headers and body must arrive in time, or a slow sender could hold connections open at no cost. Node limits the headers; we limit the body,
// because a route that takes files lets them come in as slowly as the network is. What still comes after the answer is limited everywhere.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { refuseLateRequest } from './malformed-request.ts'

export const ARRIVAL_MS = 30_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route watches over the arrival of its body itself. */
    watchesArrival?: true
  }
}

export function limitArrival(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw, headers, routeOptions }) => {
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (!hasBody || routeOptions.config?.watchesArrival) return
    const timer = setTimeout(() => refuseLateRequest(raw.socket), ARRIVAL_MS)
    const stop = () => clearTimeout(timer)
    raw.once('end', stop).once('close', stop)
  })
}

export interface RestLimits {
  readonly ms: number
  readonly bytes: number
}

/** As much as the largest file that is taken by default, and as long as other bodies have to arrive. */
const REST: RestLimits = { ms: ARRIVAL_MS, bytes: 512 * 2 ** 20 }
const LOOK_MS = 500

/**
 * A refusal may be sent while its file is still coming in. Many clients read the answer only after they have sent everything, so the rest is
 * read and dropped, within limits: then the connection is closed.
 */
export function limitRest(app: FastifyInstance, limits = REST): void {
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.complete) dropRest(raw, limits)
  })
}

function dropRest(request: IncomingMessage, { ms, bytes }: RestLimits): void {
  const { socket } = request
  const deadline = performance.now() + ms
  const mostBytes = socket.bytesRead + bytes
  // A route may have stopped in the middle.
  request.unpipe()
  request.resume()
  // Looks from time to time, because Node itself drops what no route has begun to read, without an event.
  const timer = setInterval(() => {
    const isOver = request.complete || socket.destroyed
    const isTooMuch = performance.now() > deadline || socket.bytesRead > mostBytes
    if (isOver || isTooMuch) clearInterval(timer)
    if (!isOver && isTooMuch) socket.destroy()
  }, LOOK_MS)
  timer.unref()
}
