// What one client can hold of the server's network connections: so many at once, and none that takes its answers too slowly. A connection
// that became a stream is left to the stream's own rules. A refused connection is just closed: an answer would need a TLS handshake first.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Config } from '../settings/config.ts'
import { addressGroup } from './client-address.ts'
import { OpenCount } from './open-count.ts'

/**
 * How long an answer may wait for a client that takes next to nothing of it. Progress shows only between the pieces that an answer is
 * written in, so this is also how long the largest piece, a page of a few hundred kilobytes, may take.
 */
const STALL_TIMEOUT_MS = 60_000
const SWEEPS_PER_TIMEOUT = 6
/** Less than this between two sweeps is next to nothing. */
const PROGRESS_BYTES = 4_096

export interface GuardOptions {
  readonly limits: Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress'>
  /** Connections of proxies are those of many clients. */
  readonly isTrustedProxy: (address: string) => boolean
  readonly monotonicMs: () => number
  readonly stallTimeoutMs?: number
}

/** What a connection with an unsent answer has taken, and since when it takes nothing. */
interface Progress {
  sentBytes: number
  sinceMs: number
}

export interface ConnectionGuard {
  stop(): void
}

export function guardConnections(
  server: Server,
  { limits, isTrustedProxy, monotonicMs, stallTimeoutMs = STALL_TIMEOUT_MS }: GuardOptions,
): ConnectionGuard {
  const open = new Set<Socket>()
  const byClient = new OpenCount()
  const answering = new Map<Socket, Progress>()

  server.on('connection', socket => {
    const address = socket.remoteAddress ?? 'unknown'
    const client = addressGroup(address)
    const isCrowded = !isTrustedProxy(address) && byClient.of(client) >= limits.maxConnectionsPerAddress
    if (isCrowded || open.size >= limits.maxConnections) {
      socket.destroy()
      return
    }
    open.add(socket)
    byClient.add(client)
    socket.once('close', () => {
      open.delete(socket)
      byClient.remove(client)
    })
  })
  // With TLS it is the encrypted socket that answers are written to.
  server.on('request', ({ socket }) => watch(socket))
  server.on('upgrade', (_request, socket: Duplex) => answering.delete(socket as Socket))

  function watch(socket: Socket): void {
    if (answering.has(socket)) return
    answering.set(socket, { sentBytes: sentBytesOf(socket), sinceMs: monotonicMs() })
    socket.once('close', () => answering.delete(socket))
  }

  const timer = setInterval(() => {
    for (const [socket, progress] of answering) {
      if (isStalled(socket, progress, monotonicMs(), stallTimeoutMs)) socket.destroy()
    }
  }, stallTimeoutMs / SWEEPS_PER_TIMEOUT)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

function isStalled(socket: Socket, progress: Progress, nowMs: number, timeoutMs: number): boolean {
  const sentBytes = sentBytesOf(socket)
  const isMoving = sentBytes - progress.sentBytes >= PROGRESS_BYTES
  if (socket.writableLength === 0 || isMoving) progress.sinceMs = nowMs
  progress.sentBytes = sentBytes
  return nowMs - progress.sinceMs >= timeoutMs
}

/** `bytesWritten` counts what still waits, too. */
function sentBytesOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}
