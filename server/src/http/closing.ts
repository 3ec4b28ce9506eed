// The end of the HTTP server: it waits for answers that are under way, but not for clients that just stay connected.

import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** For answers under way; clients that are still connected after this are cut off, idle or not. */
const PATIENCE_MS = 2_000

/** To be called before the app listens. Node itself would wait for a connection on which nothing was ever asked. */
export function closerOf(app: FastifyInstance): () => Promise<void> {
  const connected = new Set<Socket>()
  app.server.on('connection', socket => {
    connected.add(socket)
    socket.once('close', () => connected.delete(socket))
  })
  return async () => {
    const timer = setTimeout(() => connected.forEach(socket => void socket.destroy()), PATIENCE_MS)
    await app.close()
    clearTimeout(timer)
  }
}
